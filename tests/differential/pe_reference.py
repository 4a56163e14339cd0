"""Prints what LIEF and pefile read from PE files, a JSON object for each; runs in the Python that has them.

    pe_reference.py FILE...

Names are spelled as bytes in Latin-1, so that nothing is lost. A reader that refuses a file says null.
"""

import json
import sys

import lief
import pefile

# pefile's own limits are lower than real files need.
MOST_EXPORTS = 1 << 16
pefile.MAX_IMPORT_NAME_LENGTH = pefile.MAX_SYMBOL_NAME_LENGTH = 1 << 16
pefile.MAX_IMPORT_SYMBOLS = 1 << 20
DIRECTORIES = [
    pefile.DIRECTORY_ENTRY[f"IMAGE_DIRECTORY_ENTRY_{name}"] for name in ("IMPORT", "EXPORT", "DELAY_IMPORT", "RESOURCE")
]


def main():
    lief.logging.disable()
    for path in sys.argv[1:]:
        print(json.dumps({"path": path, "lief": by_lief(path), "pefile": by_pefile(path)}), flush=True)


def text(name):
    return name.decode("latin-1") if isinstance(name, bytes) else name or ""


def by_lief(path):
    binary = lief.PE.parse(path)
    if binary is None:
        return None

    def dlls(entries):
        return [
            [text(dll.name), [[None, e.ordinal] if e.is_ordinal else [text(e.name), None] for e in dll.entries]]
            for dll in entries
        ]

    table = binary.get_export()
    functions = []
    for entry in table.entries if table else []:
        forward = ""
        if entry.is_forwarded:
            forward = f"{text(entry.forward_information.library)}.{text(entry.forward_information.function)}"
        functions.append([text(entry.name), entry.ordinal, forward])
    return {
        "machine": binary.header.machine.value,
        "flags": binary.header.characteristics,
        "subsystem": binary.optional_header.subsystem.value,
        "image_base": binary.optional_header.imagebase,
        "sections": [[s.virtual_address, s.virtual_size, s.pointerto_raw_data, s.sizeof_raw_data]
                     for s in binary.sections],
        "imports": dlls(binary.imports),
        "delay_imports": dlls(binary.delay_imports),
        "exports": functions,
        "name": text(table.name) if table else "",
    }


def by_pefile(path):
    try:
        file = pefile.PE(path, fast_load=True, max_symbol_exports=MOST_EXPORTS)
        file.parse_data_directories(directories=DIRECTORIES)
    except pefile.PEFormatError:
        return None

    def dlls(attribute):
        found = []
        for dll in getattr(file, attribute, []):
            functions = [[None, f.ordinal] if f.import_by_ordinal else [text(f.name), None] for f in dll.imports]
            found.append([text(dll.dll), functions])
        return found

    table = getattr(file, "DIRECTORY_ENTRY_EXPORT", None)
    version = [
        f"{v.FileVersionMS >> 16}.{v.FileVersionMS & 0xFFFF}.{v.FileVersionLS >> 16}.{v.FileVersionLS & 0xFFFF}"
        for v in getattr(file, "VS_FIXEDFILEINFO", [])
    ]
    return {
        "machine": file.FILE_HEADER.Machine,
        "subsystem": file.OPTIONAL_HEADER.Subsystem,
        "image_base": file.OPTIONAL_HEADER.ImageBase,
        "sections": [
            [s.VirtualAddress, s.Misc_VirtualSize, s.PointerToRawData, s.SizeOfRawData] for s in file.sections
        ],
        "imports": dlls("DIRECTORY_ENTRY_IMPORT"),
        "delay_imports": dlls("DIRECTORY_ENTRY_DELAY_IMPORT"),
        "exports": [[text(e.name), e.ordinal, text(e.forwarder)] for e in table.symbols] if table else [],
        "name": text(table.name) if table else "",
        "file_version": version[0] if version else None,
        "managed": file.OPTIONAL_HEADER.DATA_DIRECTORY[14].VirtualAddress != 0,
    }


if __name__ == "__main__":
    main()
