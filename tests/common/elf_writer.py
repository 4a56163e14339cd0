"""Writes the smallest ELF files that the real loader accepts: names and search paths, no symbols.

A compiler takes 30 ms for such a file, this takes 0.1 ms, and it can write what no linker
would: an empty needed name, 100,000 of them, another class or machine.
"""

import os
import struct

from elf_file import (
    DF_1_PIE,
    DT_AUXILIARY,
    DT_FILTER,
    DT_FLAGS_1,
    DT_HASH,
    DT_NEEDED,
    DT_NULL,
    DT_RPATH,
    DT_RUNPATH,
    DT_SONAME,
    DT_STRSZ,
    DT_STRTAB,
    DT_SYMENT,
    DT_SYMTAB,
    EM_386,
    EM_AARCH64,
    EM_X86_64,
    ET_DYN,
    PT_DYNAMIC,
    PT_GNU_STACK,
    PT_INTERP,
    PT_LOAD,
    PT_PHDR,
)

PAGE = 0x1000
INTERP = {
    EM_X86_64: "/lib64/ld-linux-x86-64.so.2",
    EM_386: "/lib/ld-linux.so.2",
    EM_AARCH64: "/lib/ld-linux-aarch64.so.1",
}

# mov edi, 0; mov eax, 231 (exit_group); syscall: a program that ends at once, and well.
EXIT_CODE = bytes.fromhex("bf00000000 b8e7000000 0f05")


def _raw(name):
    return name if isinstance(name, bytes) else os.fsencode(name)


class _Strings:
    """A string table: one copy of each string, offset 0 is the empty one."""

    def __init__(self):
        self.data = bytearray(b"\0")
        self.offsets = {b"": 0}

    def add(self, name):
        raw = _raw(name)
        if raw not in self.offsets:
            self.offsets[raw] = len(self.data)
            self.data += raw + b"\0"
        return self.offsets[raw]


def elf_bytes(
    *,
    needed=(),
    soname=None,
    rpath=None,
    runpath=None,
    filters=(),
    auxiliaries=(),
    flags_1=0,
    program=False,
    interp=None,
    bits=64,
    machine=EM_X86_64,
    type_=ET_DYN,
):
    """One shared library, or with `program` a position-independent program that exits with 0.

    All is in one segment: headers, strings, an empty symbol table and the dynamic section, which
    the loader writes to. Names may be bytes. `bits` and `machine` need not fit together.
    """
    strings = _Strings()
    entries = [(DT_NEEDED, strings.add(name)) for name in needed]
    entries += [(DT_FILTER, strings.add(name)) for name in filters]
    entries += [(DT_AUXILIARY, strings.add(name)) for name in auxiliaries]
    for tag, name in ((DT_SONAME, soname), (DT_RPATH, rpath), (DT_RUNPATH, runpath)):
        if name is not None:
            entries.append((tag, strings.add(name)))
    if program:
        flags_1 |= DF_1_PIE
        interp = interp or INTERP[machine]
    if flags_1:
        entries.append((DT_FLAGS_1, flags_1))

    wide = bits == 64
    header_size, segment_size, symbol_size = (64, 56, 24) if wide else (52, 32, 16)
    dynamic_layout, dynamic_size = ("<qQ", 16) if wide else ("<iI", 8)
    segment_count = 5 if interp else 3

    def aligned(offset):
        return (offset + 15) & ~15

    interp_raw = _raw(interp) + b"\0" if interp else b""
    interp_at = header_size + segment_count * segment_size
    code_at = aligned(interp_at + len(interp_raw))
    hash_at = aligned(code_at + len(EXIT_CODE))
    hash_table = struct.pack("<5I", 1, 1, 0, 0, 0)  # one bucket, one chain: the undefined symbol 0
    symbols_at = aligned(hash_at + len(hash_table))
    strings_at = symbols_at + symbol_size
    dynamic_at = aligned(strings_at + len(strings.data))
    entries += [
        (DT_HASH, hash_at),
        (DT_STRTAB, strings_at),
        (DT_SYMTAB, symbols_at),
        (DT_STRSZ, len(strings.data)),
        (DT_SYMENT, symbol_size),
        (DT_NULL, 0),
    ]
    dynamic = b"".join(struct.pack(dynamic_layout, *entry) for entry in entries)
    end = dynamic_at + len(dynamic)

    def segment(kind, flags, offset, size, align):
        if wide:
            return struct.pack("<IIQQQQQQ", kind, flags, offset, offset, offset, size, size, align)
        return struct.pack("<IIIIIIII", kind, offset, offset, offset, size, size, flags, align)

    segments = []
    if interp:
        segments.append(segment(PT_PHDR, 4, header_size, segment_count * segment_size, 8))
        segments.append(segment(PT_INTERP, 4, interp_at, len(interp_raw), 1))
    segments.append(segment(PT_LOAD, 7, 0, end, PAGE))
    segments.append(segment(PT_DYNAMIC, 6, dynamic_at, len(dynamic), 8))
    # Without this header the loader makes the stack executable.
    segments.append(segment(PT_GNU_STACK, 6, 0, 0, 16))

    ident = b"\x7fELF" + bytes([2 if wide else 1, 1, 1]) + bytes(9)
    header = ident + struct.pack(
        "<HHIQQQIHHHHHH" if wide else "<HHIIIIIHHHHHH",
        *(type_, machine, 1, code_at if program else 0, header_size, 0, 0),
        *(header_size, segment_size, segment_count, 0, 0, 0),
    )

    image = bytearray(end)
    for offset, data in (
        (0, header),
        (header_size, b"".join(segments)),
        (interp_at, interp_raw),
        (code_at, EXIT_CODE),
        (hash_at, hash_table),
        (strings_at, strings.data),
        (dynamic_at, dynamic),
    ):
        image[offset : offset + len(data)] = data
    return bytes(image)


def write_elf(path, **content):
    """Writes `elf_bytes(**content)` to `path`, runnable."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    with open(path, "wb") as file:
        file.write(elf_bytes(**content))
    os.chmod(path, 0o755)
