"""The healthy files from which the hostile ones are made, and the editing of their bytes."""

import os
import struct
import subprocess

import elf_file
from elf_file import ElfFile

# Exports with versions, imports from libc, data relocations, both hash tables, notes.
LIBRARY_SOURCE = """
#include <stdio.h>
extern int absent(int) __attribute__((weak));
int data = 1;
int *pointer = &data;
__thread int thread_local_data;
int f(int x) { return puts("f") + x + thread_local_data; }
int g(int x) { return absent ? absent(x) : f(x); }
int h(int x) { return g(x) + *pointer; }
"""
VERSIONS = "V1 { global: f; data; pointer; }; V2 { global: g; h; } V1;"
PROGRAM_SOURCE = "extern int data; int f(int), g(int), h(int); int main(void) { return f(g(h(data))); }"

# Field -> (offset, layout) in Elf64_Ehdr.
HEADER = {
    "class": (4, "B"),
    "data": (5, "B"),
    "ident_version": (6, "B"),
    "osabi": (7, "B"),
    "abiversion": (8, "B"),
    "pad": (9, "B"),
    "type": (16, "H"),
    "machine": (18, "H"),
    "version": (20, "I"),
    "entry": (24, "Q"),
    "phoff": (32, "Q"),
    "shoff": (40, "Q"),
    "flags": (48, "I"),
    "ehsize": (52, "H"),
    "phentsize": (54, "H"),
    "phnum": (56, "H"),
    "shentsize": (58, "H"),
    "shnum": (60, "H"),
    "shstrndx": (62, "H"),
}
# Field -> (offset, layout) in Elf64_Phdr.
SEGMENT = {
    "type": (0, "I"),
    "flags": (4, "I"),
    "offset": (8, "Q"),
    "vaddr": (16, "Q"),
    "paddr": (24, "Q"),
    "filesz": (32, "Q"),
    "memsz": (40, "Q"),
    "align": (48, "Q"),
}

DT_RELA, DT_RELASZ, DT_RELAENT, DT_PLTRELSZ, DT_PLTREL, DT_JMPREL = 7, 8, 9, 2, 20, 23
POINTERS = {
    "DT_STRTAB": elf_file.DT_STRTAB,
    "DT_SYMTAB": elf_file.DT_SYMTAB,
    "DT_GNU_HASH": elf_file.DT_GNU_HASH,
    "DT_HASH": elf_file.DT_HASH,
    "DT_VERSYM": elf_file.DT_VERSYM,
    "DT_VERNEED": elf_file.DT_VERNEED,
    "DT_VERDEF": elf_file.DT_VERDEF,
    "DT_RELA": DT_RELA,
    "DT_JMPREL": DT_JMPREL,
}
SIZES = {
    "DT_STRSZ": elf_file.DT_STRSZ,
    "DT_SYMENT": elf_file.DT_SYMENT,
    "DT_VERNEEDNUM": elf_file.DT_VERNEEDNUM,
    "DT_VERDEFNUM": elf_file.DT_VERDEFNUM,
    "DT_RELASZ": DT_RELASZ,
    "DT_RELAENT": DT_RELAENT,
    "DT_PLTRELSZ": DT_PLTRELSZ,
    "DT_PLTREL": DT_PLTREL,
}
STRINGS = {
    "DT_NEEDED": elf_file.DT_NEEDED,
    "DT_SONAME": elf_file.DT_SONAME,
    "DT_RUNPATH": elf_file.DT_RUNPATH,
}

U64 = 0xFFFF_FFFF_FFFF_FFFF
HUGE = [1 << 63, U64, U64 - 0xFFF]


class Samples:
    """A library `libbad.so` with everything in it, and a program that needs it."""

    def __init__(self, folder):
        self.library = os.path.join(folder, "libbad.so")
        self.program = os.path.join(folder, "main")
        versions = os.path.join(folder, "versions")
        with open(versions, "w", encoding="utf-8") as file:
            file.write(VERSIONS)
        # -z noseparate-code keeps the file small, and with it the number of interesting bytes.
        common = [
            "-O1",
            "-Wl,-z,noseparate-code",
            "-Wl,--hash-style=both",
            "-Wl,--enable-new-dtags,-rpath,$ORIGIN",
        ]
        library = ["-shared", "-fPIC", "-Wl,-soname,libbad.so", f"-Wl,--version-script={versions}"]
        _compile(LIBRARY_SOURCE, self.library, *common, *library, "-Wl,-z,now")
        _compile(PROGRAM_SOURCE, self.program, *common, "-L" + folder, "-l:libbad.so", "-Wl,-z,now")
        with open(self.library, "rb") as file:
            self.library_bytes = file.read()
        with open(self.program, "rb") as file:
            self.program_bytes = file.read()


def _compile(source, out, *flags):
    command = ["gcc", "-x", "c", "-", "-o", out, *flags]
    run = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {run.stderr}")


class Edit:
    """A copy of one sample, edited field by field. Methods return self, so edits can be chained."""

    def __init__(self, path):
        self.elf = ElfFile(path)
        with open(path, "rb") as file:
            self.data = bytearray(file.read())

    def bytes(self):
        return bytes(self.data)

    def put(self, offset, layout, *values):
        struct.pack_into("<" + layout, self.data, offset, *values)
        return self

    def get(self, offset, layout):
        return struct.unpack_from("<" + layout, self.data, offset)

    def header(self, **fields):
        for name, value in fields.items():
            offset, layout = HEADER[name]
            self.put(offset, layout, value)
        return self

    def segments(self, type_):
        """File offsets of the program headers of a type."""
        return [s["offset"] for s in self.elf.segments if s["type"] == type_]

    def segment(self, at, **fields):
        for name, value in fields.items():
            offset, layout = SEGMENT[name]
            self.put(at + offset, layout, value)
        return self

    def dynamic(self, tag, value):
        return self.put(self.elf.entry_offset(tag) + 8, "Q", value)

    def without(self, tag):
        """Turns the entry into one that no loader knows."""
        return self.put(self.elf.entry_offset(tag), "q", 0x6000_0000)

    def table(self, tag):
        """File offset of the table that a dynamic entry points to."""
        return self.elf.file_offset(self.elf.value(tag))

    def symbol_count(self):
        return self.get(self.table(elf_file.DT_HASH) + 4, "I")[0]  # nchain

    def verneeds(self):
        """(offset of Elf64_Verneed, offsets of its Elf64_Vernaux) of the undamaged file."""
        return self._version_chain(elf_file.DT_VERNEED, aux_field=8, next_field=12, aux_next=12, count_at=2)

    def verdefs(self):
        """(offset of Elf64_Verdef, offsets of its Elf64_Verdaux) of the undamaged file."""
        return self._version_chain(elf_file.DT_VERDEF, aux_field=12, next_field=16, aux_next=4, count_at=6)

    def _version_chain(self, tag, aux_field, next_field, aux_next, count_at):
        chain, at = [], self.table(tag)
        while True:
            auxes, aux = [], at + self.get(at + aux_field, "I")[0]
            for _ in range(self.get(at + count_at, "H")[0]):
                auxes.append(aux)
                aux += self.get(aux + aux_next, "I")[0]
            chain.append((at, auxes))
            step = self.get(at + next_field, "I")[0]
            if step == 0:
                return chain
            at += step
