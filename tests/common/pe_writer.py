"""Writes small PE32+ files, part by part, so that a test can damage any of them."""

import struct

HEADERS = 0x400
SECTION = 0x1000  # address of the one section, which starts at HEADERS in the file
OPTIONAL = 0x40 + 24
DIRECTORIES = OPTIONAL + 112
SECTION_HEADERS = DIRECTORIES + 128
EXPORT, IMPORT, RESOURCE, DELAY_IMPORT = 0, 1, 2, 13


class PeFile:
    """The bytes of a DLL; what is added goes to the end of its section."""

    def __init__(self):
        self.data = bytearray(HEADERS)
        self.data[:2] = b"MZ"
        self.poke(0x3C, "<I", 0x40)
        self.data[0x40:0x44] = b"PE\0\0"
        self.poke(0x44, "<HH12xHH", 0x8664, 1, SECTION_HEADERS - OPTIONAL, 0x2022)
        self.poke(OPTIONAL, "<H22xQII16xI", 0x20B, 0x180000000, 4096, 512, 0)
        self.poke(OPTIONAL + 60, "<IIHH", HEADERS, 0, 2, 0x160)
        self.poke(DIRECTORIES - 4, "<I", 16)
        self.data[SECTION_HEADERS : SECTION_HEADERS + 6] = b".rdata"
        self.poke(SECTION_HEADERS + 12, "<I4xI", SECTION, HEADERS)

    def poke(self, offset, layout, *values):
        struct.pack_into(layout, self.data, offset, *values)

    def here(self):
        """The address of what is added next."""
        return address(len(self.data))

    def add(self, data):
        """Appends bytes; returns their offset."""
        self.data += bytes(-len(self.data) % 8)
        offset = len(self.data)
        self.data += data
        return offset

    def enter(self, directory, offset, size):
        self.poke(DIRECTORIES + 8 * directory, "<II", address(offset), size)

    def finish(self, memory=None):
        size = len(self.data) - HEADERS
        self.poke(SECTION_HEADERS + 8, "<I", size if memory is None else memory)
        self.poke(SECTION_HEADERS + 16, "<I", size)
        self.poke(OPTIONAL + 56, "<I", min(SECTION + max(size, memory or 0) + 4095 & ~4095, 0xFFFFFFFF))
        return bytes(self.data)

    # --- the tables -------------------------------------------------------------------------------

    def imports(self, dlls):
        """`dlls`: (name, [function name or ordinal]). Returns the offset of the table."""
        entries = b"".join(self._import_entry(name, functions) for name, functions in dlls)
        table = self.add(entries + bytes(20))
        self.enter(IMPORT, table, len(entries) + 20)
        return table

    def delay_imports(self, dlls):
        entries = b""
        for name, functions in dlls:
            names, _, _, name_at, _ = struct.unpack("<5I", self._import_entry(name, functions))
            entries += struct.pack("<8I", 1, name_at, 0, 0, names, 0, 0, 0)
        table = self.add(entries + bytes(32))
        self.enter(DELAY_IMPORT, table, len(entries) + 32)
        return table

    def _import_entry(self, name, functions):
        name_at = address(self.add(name + b"\0"))
        thunks = [1 << 63 | f if isinstance(f, int) else address(self.add(b"\0\0" + f + b"\0")) for f in functions]
        names = address(self.add(struct.pack(f"<{len(thunks) + 1}Q", *thunks, 0)))
        return struct.pack("<5I", names, 0, 0, name_at, names)

    def exports(self, name, functions):
        """`functions`: (name, forwarder or None), with ordinals from 1. Returns the offset of the directory."""
        directory = self.add(bytes(40))
        addresses = [address(self.add(f + b"\0")) if f else 0x10 for _, f in functions]
        names = [address(self.add(n + b"\0")) for n, _ in functions]
        count = len(functions)
        places = (
            address(self.add(struct.pack(f"<{count}I", *addresses))),
            address(self.add(struct.pack(f"<{count}I", *names))),
            address(self.add(struct.pack(f"<{count}H", *range(count)))),
        )
        name_at = address(self.add(name + b"\0"))
        self.poke(directory, "<12xIIII3I", name_at, 1, count, count, *places)
        self.enter(EXPORT, directory, len(self.data) - directory)
        return directory

    def resource(self, type_, id_, data):
        """One resource. Returns the offset of the root folder."""
        root = self.add(bytes(72 + 16))
        for level, number in enumerate((type_, id_, 1033)):
            place = 24 * (level + 1) | (0x80000000 if level < 2 else 0)
            self.poke(root + 24 * level, "<14xHII", 1, number, place)
        self.poke(root + 72, "<II", address(self.add(data)), len(data))
        self.enter(RESOURCE, root, 88)
        return root


def address(offset):
    return offset - HEADERS + SECTION


def sample():
    """A healthy DLL with all tables, which edits may damage."""
    pe = PeFile()
    pe.imports([(b"KERNEL32.dll", [b"ExitProcess", 7]), (b"cudart64_12.dll", [b"cudaMalloc"])])
    pe.delay_imports([(b"nvcuda.dll", [b"cuInit", 3])])
    pe.exports(b"sample.dll", [(b"f", None), (b"g", b"NTDLL.RtlG"), (b"h", b"sample.f")])
    manifest = b'<assembly><dependency><dependentAssembly>'
    manifest += b'<assemblyIdentity name="A.B" version="1"/></dependentAssembly>'
    pe.resource(24, 2, manifest)
    return pe.finish()
