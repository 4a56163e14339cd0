"""A small ELF reader for the tests, independent of cudald's own.

It reads what a test needs to choose files and to ask the right questions: the header,
the program headers, PT_INTERP and the dynamic section. It trusts its input (the system's
files and the tests' own); what it cannot read is a ValueError.
"""

import os
import struct

ET_REL, ET_EXEC, ET_DYN, ET_CORE = 1, 2, 3, 4
EM_386, EM_PPC64, EM_S390, EM_ARM, EM_X86_64, EM_AARCH64, EM_RISCV = 3, 21, 22, 40, 62, 183, 243
PT_LOAD, PT_DYNAMIC, PT_INTERP, PT_NOTE, PT_PHDR, PT_GNU_STACK = 1, 2, 3, 4, 6, 0x6474E551

DT_NULL, DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_STRSZ, DT_SYMENT = 0, 1, 4, 5, 6, 10, 11
DT_SONAME, DT_RPATH, DT_RUNPATH, DT_FLAGS = 14, 15, 29, 30
DT_GNU_HASH, DT_VERSYM = 0x6FFFFEF5, 0x6FFFFFF0
DT_FLAGS_1, DT_VERDEF, DT_VERDEFNUM = 0x6FFFFFFB, 0x6FFFFFFC, 0x6FFFFFFD
DT_VERNEED, DT_VERNEEDNUM = 0x6FFFFFFE, 0x6FFFFFFF
DT_AUXILIARY, DT_FILTER = 0x7FFFFFFD, 0x7FFFFFFF
DF_1_NODEFLIB, DF_1_PIE = 0x800, 0x08000000


def text(raw):
    """Bytes of a file as text, without loss."""
    return raw.decode("utf-8", "surrogateescape")


class ElfFile:
    """The parts of one ELF file. Offsets are kept, so a test can edit the bytes behind a field."""

    def __init__(self, path):
        self.path = os.fspath(path)
        with open(path, "rb") as file:
            self._file = file
            self._read_header()
            self._read_program_headers()
            self._read_dynamic()
            del self._file

    def _at(self, offset, size):
        self._file.seek(offset)
        data = self._file.read(size)
        if len(data) != size:
            raise ValueError(f"{self.path}: {size} bytes at {offset} lie outside the file")
        return data

    def _read_header(self):
        ident = self._file.read(16)
        if ident[:4] != b"\x7fELF" or len(ident) != 16 or ident[4] not in (1, 2):
            raise ValueError(f"{self.path}: not an ELF file")
        self.bits = 64 if ident[4] == 2 else 32
        self.order = ">" if ident[5] == 2 else "<"
        layout = self.order + ("HHIQQQIHHHHHH" if self.bits == 64 else "HHIIIIIHHHHHH")
        header = struct.unpack(layout, self._at(16, struct.calcsize(layout)))
        self.type, self.machine, _, self.entry, self.phoff, self.shoff = header[:6]
        self.phentsize, self.phnum = header[8:10]

    def _read_program_headers(self):
        """Entries are dictionaries in the words of the ELF standard, plus `offset`: where the entry lies."""
        if self.bits == 64:
            layout = self.order + "IIQQQQQQ"
            names = ("type", "flags", "fileoff", "vaddr", "paddr", "filesz", "memsz", "align")
        else:
            layout = self.order + "IIIIIIII"
            names = ("type", "fileoff", "vaddr", "paddr", "filesz", "memsz", "flags", "align")
        size = struct.calcsize(layout)
        if self.phnum and self.phentsize != size:
            raise ValueError(f"{self.path}: program headers of {self.phentsize} bytes")
        self.segments = []
        for i in range(self.phnum):
            offset = self.phoff + i * size
            segment = dict(zip(names, struct.unpack(layout, self._at(offset, size))))
            segment["offset"] = offset
            self.segments.append(segment)

    def segment(self, type_):
        return next((s for s in self.segments if s["type"] == type_), None)

    def file_offset(self, address):
        for s in self.segments:
            if s["type"] == PT_LOAD and s["vaddr"] <= address < s["vaddr"] + s["filesz"]:
                return address - s["vaddr"] + s["fileoff"]
        raise ValueError(f"{self.path}: address {address:#x} is in no segment")

    def _read_dynamic(self):
        """`dynamic` is a list of (tag, value, offset of the entry), DT_NULL left out."""
        self.dynamic = []
        self.interp = None
        segment = self.segment(PT_INTERP)
        if segment:
            self.interp = text(self._at(segment["fileoff"], segment["filesz"]).split(b"\0")[0])
        segment = self.segment(PT_DYNAMIC)
        if not segment:
            return
        layout = self.order + ("qQ" if self.bits == 64 else "iI")
        size = struct.calcsize(layout)
        data = self._at(segment["fileoff"], segment["filesz"])
        for i in range(0, len(data) - size + 1, size):
            tag, value = struct.unpack_from(layout, data, i)
            if tag == DT_NULL:
                break
            self.dynamic.append((tag, value, segment["fileoff"] + i))
        if self.value(DT_STRTAB) is not None:
            self._strtab = self._at(self.file_offset(self.value(DT_STRTAB)), self.value(DT_STRSZ) or 0)

    def value(self, tag):
        """The value of the last entry with this tag: where several exist, the loader uses that one."""
        return next((value for t, value, _ in reversed(self.dynamic) if t == tag), None)

    def entry_offset(self, tag):
        return next(offset for t, _, offset in reversed(self.dynamic) if t == tag)

    def _string(self, start):
        end = self._strtab.find(b"\0", start)
        if start > len(self._strtab) or end < 0:
            raise ValueError(f"{self.path}: string at {start} has no end")
        return text(self._strtab[start:end])

    def strings(self, *tags):
        """The strings of all entries with these tags, in the order of the file."""
        return [self._string(value) for tag, value, _ in self.dynamic if tag in tags]

    @property
    def needed(self):
        return self.strings(DT_NEEDED)

    @property
    def soname(self):
        names = self.strings(DT_SONAME)
        return names[-1] if names else None
