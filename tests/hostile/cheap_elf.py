#!/usr/bin/env python3
"""Gives cudald small ELF and PE files, fatbins and loader settings whose tables say that there is very much to do.

    cheap_elf.py CUDALD [--only GLOB] [--keep DIR] [--time-limit S] [--memory-limit MB]

Each is asked about by itself and as one library of a program that lacks another one: that must still be told. See
cheap.py. Output is TAP.
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import elf_file as E  # noqa: E402
import pe_writer  # noqa: E402
from cheap import Asked, CheapCase, findings_of, run  # noqa: E402
from elf_writer import write_elf  # noqa: E402

CASES = []
MIB = 1 << 20
DT_RELA, DT_RELASZ, DT_RELAENT, DT_SYMENT = 7, 8, 9, 11
GLOBAL_FUNCTION = 0x12
R_64 = 1  # R_X86_64_64


def case(name):
    def enlist(build):
        CASES.append(CheapCase(name, build))
        return build

    return enlist


class Elf:
    """A library of one segment, whose addresses are its offsets; parts are put behind one another."""

    def __init__(self):
        self.parts, self.size, self.dynamic, self.headers, self.sections = [], 0x1000, [], [], []
        self.strings = bytearray(b"\0")

    def put(self, data, align=8):
        """Where the bytes lie."""
        at = (self.size + align - 1) // align * align
        self.parts.append((at, data))
        self.size = at + len(data)
        return at

    def string(self, text):
        at = len(self.strings)
        self.strings += text + b"\0"
        return at

    def enter(self, *entries):
        self.dynamic += entries
        return self

    def segment(self, kind, offset, size, address=0, flags=4, align=4):
        self.headers.append(struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, size, size, align))

    def section(self, name, offset, size):
        self.sections.append((name, offset, size))

    def gnu_hash(self, first, chain, buckets=(1,)):
        """Everything passes its filter."""
        raw = struct.pack("<IIIIQ", len(buckets), first, 1, 6, 2**64 - 1)
        raw += struct.pack(f"<{len(buckets)}I", *buckets) + struct.pack(f"<{len(chain)}I", *chain)
        self.enter((E.DT_GNU_HASH, self.put(raw)))

    def symbols(self, entries):
        """`entries`: (name, section) behind the first; each at its own address."""
        raw = [bytes(24)]
        for i, (name, section) in enumerate(entries):
            raw.append(struct.pack("<IBBHQQ", name, GLOBAL_FUNCTION, 0, section, 0x100 + i, 0))
        self.enter((E.DT_SYMTAB, self.put(b"".join(raw))), (E.DT_SYMENT, 24))

    def references(self, indexes):
        raw = b"".join(struct.pack("<QQq", 0x100, i << 32 | R_64, 0) for i in indexes)
        self.enter((DT_RELA, self.put(raw)), (DT_RELASZ, len(raw)), (DT_RELAENT, 24))

    def finish(self, length=None):
        names = bytearray(b"\0")
        raw_sections = [bytes(64)]
        known = {}
        for name, offset, size in [*self.sections, (b".shstrtab", 0, 0)] if self.sections else []:
            if name not in known:
                known[name] = len(names)
                names += name + b"\0"
            raw_sections.append(struct.pack("<IIQQQQIIQQ", known[name], 1, 2, 0, offset, size, 0, 0, 1, 0))
        if self.sections:
            at = self.put(bytes(names))
            raw_sections[-1] = struct.pack("<IIQQQQIIQQ", known[b".shstrtab"], 3, 0, 0, at, len(names), 0, 0, 1, 0)
        self.enter((E.DT_STRTAB, self.put(bytes(self.strings))), (E.DT_STRSZ, len(self.strings)), (E.DT_NULL, 0))
        table = self.put(b"".join(struct.pack("<qQ", *entry) for entry in self.dynamic))
        sections_at = self.put(b"".join(raw_sections)) if self.sections else 0
        end = max(self.size, length or 0)
        headers = [struct.pack("<IIQQQQQQ", E.PT_LOAD, 7, 0, 0, 0, end, end, 0x1000)]
        size = 16 * len(self.dynamic)
        headers.append(struct.pack("<IIQQQQQQ", E.PT_DYNAMIC, 6, table, table, table, size, size, 8))
        headers.append(struct.pack("<IIQQQQQQ", E.PT_GNU_STACK, 6, 0, 0, 0, 0, 0, 16))
        headers += self.headers
        headers_at = 64
        if len(headers) > 60:
            headers_at, self.size = self.size, self.size + 56 * len(headers)
        ident = b"\x7fELF" + bytes([2, 1, 1]) + bytes(9)
        count = len(raw_sections) if self.sections else 0
        header = ident + struct.pack(
            "<HHIQQQIHHHHHH",
            *(E.ET_DYN, E.EM_X86_64, 1, 0, headers_at, sections_at, 0),
            *(64, 56, len(headers), 64, count, max(count - 1, 0)),
        )
        data = bytearray(self.size)
        data[:64] = header
        data[headers_at : headers_at + 56 * len(headers)] = b"".join(headers)
        for at, part in self.parts:
            data[at : at + len(part)] = part
        return bytes(data)


def write(path, data, length=None):
    with open(path, "wb") as file:
        file.write(data)
        if length:
            file.truncate(length)  # the rest takes no room on the disk
    os.chmod(path, 0o755)


def lacks_another(document):
    """The program's other library, which is not there, is told of; the hostile one hides nothing."""
    if not findings_of(document, "CUD101", "libgone.so"):
        return "no CUD101 about libgone.so"
    return None


def ask(folder, data, told=("CUD902",), length=None, alone=True, show=None, options=(), needed=()):
    """The file by itself, in a program that lacks another library, and shown."""
    library, program = os.path.join(folder, "libbad.so"), os.path.join(folder, "main")
    write(library, data, length)
    write_elf(program, program=True, needed=[*needed, "libbad.so", "libgone.so"], runpath="$ORIGIN")
    asked = [Asked(["explain", "-f", "json", *options, program], told=told, about="libbad.so", stands=lacks_another)]
    if alone:
        asked.append(Asked(["explain", "-f", "json", *options, library], told=told, about="libbad.so"))
        asked.append(Asked(["explain", *options, program]))
        asked.append(Asked(["show", "-f", "json", library], told=(), defect=show or "", status=(0,)))
    return asked


def sysv(name):
    value = 0
    for byte in name:
        value = (value << 4) + byte
        value ^= value >> 24 & 0xF0
        value &= 0x0FFFFFFF
    return value


def gnu(name):
    value = 5381
    for byte in name:
        value = value * 33 + byte & 0xFFFFFFFF
    return value


# --- versions -----------------------------------------------------------------------------------


def verneed(elf, file, names):
    raw = [struct.pack("<HHIII", 1, min(len(names), 0xFFFF), file, 16, 0)]
    for i, name in enumerate(names):
        raw.append(struct.pack("<IHHII", i, 0, 2 + i % 0x7000, name, 16 if i + 1 < len(names) else 0))
    elf.enter((E.DT_VERNEED, elf.put(b"".join(raw))), (E.DT_VERNEEDNUM, 1))


def verdef(elf, names):
    raw = []
    for i, name in enumerate(names):
        next_ = 28 if i + 1 < len(names) else 0
        raw.append(struct.pack("<HHHHIIIII", 1, 0, 2 + i % 0x7000, 1, i, 20, next_, name, 0))
    elf.enter((E.DT_VERDEF, elf.put(b"".join(raw))), (E.DT_VERDEFNUM, len(names)))


@case("60,000 needed versions that share a name of 1 MiB")
def shared_needed_name(folder):
    elf = Elf()
    name = elf.string(b"V" * MIB)
    verneed(elf, elf.string(b"libc.so.6"), [name] * 60_000)
    return ask(folder, elf.finish(), show="version")


@case("60,000 needed versions that end in one name of 1 MiB")
def overlapping_needed_names(folder):
    elf = Elf()
    name = elf.string(b"V" * MIB)
    verneed(elf, elf.string(b"libc.so.6"), [name + i for i in range(60_000)])
    return ask(folder, elf.finish(), show="version")


@case("60,000 needed versions whose names have no end")
def endless_needed_names(folder):
    elf = Elf()
    elf.string(b"libc.so.6")
    name = len(elf.strings)
    verneed(elf, 1, [name + i for i in range(60_000)])
    elf.strings += b"V" * (2 * MIB)
    return ask(folder, elf.finish(), show="steps would be needed")


@case("60,000 defined versions that share a name of 1 MiB")
def shared_defined_name(folder):
    elf = Elf()
    verdef(elf, [elf.string(b"V" * MIB)] * 60_000)
    return ask(folder, elf.finish(), show="version")


@case("30,000 needed versions of a library that defines 30,000 others")
def versions_times_definitions(folder):
    # Within all limits of one file; each is missed, and each miss must not go through all that there are.
    elf = Elf()
    verneed(elf, elf.string(b"libother.so"), [elf.string(b"A%d" % i) for i in range(30_000)])
    other = Elf()
    other.enter((E.DT_SONAME, other.string(b"libother.so")))
    verdef(other, [other.string(b"B%d" % i) for i in range(30_000)])
    write(os.path.join(folder, "libother.so"), other.finish())
    return ask(folder, elf.finish(), told=("CUD902",), alone=False, needed=["libother.so"])


# --- symbols ------------------------------------------------------------------------------------


@case("10,000 references to a name of 1 MB")
def long_symbol_name(folder):
    elf = Elf()
    name = elf.string(b"s" * 1_000_000)
    elf.symbols([(name, 0)] * 10_000)
    elf.gnu_hash(1, [])
    elf.references(range(1, 10_001))
    return ask(folder, elf.finish())


@case("10,000 references to ends of a name of 60 KB")
def ends_of_symbol_name(folder):
    elf = Elf()
    name = elf.string(b"s" * 60_000)
    elf.symbols([(name + i, 0) for i in range(10_000)])
    elf.gnu_hash(1, [])
    elf.references(range(1, 10_001))
    return ask(folder, elf.finish())


def crowded(folder, hash_table):
    """A library that defines 200,000 symbols in one bucket, and refers to 200,000 others."""
    count = 200_000
    elf = Elf()
    wanted = [elf.string(b"w%d" % i) for i in range(count)]
    defined = [elf.string(b"d%d" % i) for i in range(count)]
    elf.symbols([(name, 0) for name in wanted] + [(name, 1) for name in defined])
    hash_table(elf, count)
    elf.references(range(1, count + 1))
    return ask(folder, elf.finish(), alone=False)


@case("one bucket of 200,000 symbols and 200,000 references to others")
def crowded_gnu_bucket(folder):
    def table(elf, count):
        elf.gnu_hash(count + 1, [2 * i for i in range(count - 1)] + [1], buckets=(count + 1,))

    return crowded(folder, table)


@case("one DT_HASH bucket of 200,000 symbols and 200,000 references to others")
def crowded_sysv_bucket(folder):
    def table(elf, count):
        chain = [0] * (count + 1) + [i + 1 for i in range(count + 1, 2 * count)] + [0]
        elf.enter((E.DT_HASH, elf.put(struct.pack(f"<3I{len(chain)}I", 1, len(chain), count + 1, *chain))))

    return crowded(folder, table)


@case("20,000 symbols of one hash that share a name of 1 MiB, and 20,000 references to it")
def equal_hashes(folder):
    count = 20_000
    elf = Elf()
    wanted = elf.string(b"wanted")
    long_name = elf.string(b"wanted" + b"d" * MIB)
    elf.symbols([(wanted, 0)] * count + [(long_name, 1)] * count)
    value = gnu(b"wanted") & ~1
    elf.gnu_hash(count + 1, [value] * (count - 1) + [value | 1], buckets=(count + 1,))
    elf.references(range(1, count + 1))
    return ask(folder, elf.finish(), alone=False)


@case("symbol and hash tables of a gigabyte of nothing")
def sparse_tables(folder):
    length = 1 << 30
    elf = Elf()
    at = 64 * MIB
    elf.enter((E.DT_SYMTAB, at), (E.DT_SYMENT, 24), (E.DT_VERSYM, at))
    # One bucket far away makes the chain long; the filter is as long as the limit of a table.
    header = elf.put(struct.pack("<IIII", 1 << 25, 1, 1 << 24, 6))
    elf.enter((E.DT_GNU_HASH, header))
    elf.references([(length - at) // 24 - 1])
    return ask(folder, elf.finish(length), length=length)


@case("a string table of a gigabyte of nothing, beside a function that opens libraries")
def sparse_strings(folder):
    length = 1 << 30
    elf = Elf()
    at = elf.put(b"\0dlopen\0libsecret.so.1\0")
    elf.symbols([(1, 0)])
    elf.gnu_hash(2, [])
    elf.references([1])
    data = bytearray(elf.finish(length))
    # The last entries are those of the string table; let them lie where the file is empty.
    place = data.rindex(struct.pack("<q", E.DT_STRTAB))
    struct.pack_into("<QqQ", data, place + 8, at, E.DT_STRSZ, length - at)
    return ask(folder, bytes(data), length=length, told=(), alone=False) + [
        Asked(["explain", "-f", "json", "--constants", "files", os.path.join(folder, "libbad.so")], told=())
    ]


@case("1,000,000 references that nothing meets")
def many_missing(folder):
    count = 1_000_000
    elf = Elf()
    names = [elf.string(b"missing_function_%d" % i) for i in range(1000)]
    elf.symbols([(name, 0) for name in names] * (count // 1000))
    elf.gnu_hash(count + 1, [])
    elf.references(range(1, count + 1))
    return ask(folder, elf.finish(), alone=False)


def growing_name(name, levels):
    """A mangled name of two references at each level, which twice stand for the level below."""

    def reference(number):
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        return "S_" if number == 0 else f"S{digits[number - 1] if number <= 36 else '1' + digits[number - 37]}_"

    parts = "".join(f"S_I{reference(level + 1)}{reference(level + 1)}E" for level in range(levels))
    return f"_Z{len(name)}{name}1AIiiE{parts}".encode()


@case("names of C++ that stand for gigabytes")
def growing_names(folder):
    elf = Elf()
    names = [elf.string(growing_name(f"f{levels}", levels)) for levels in (24, 30, 60)]
    elf.symbols([(name, 0) for name in names])
    elf.gnu_hash(4, [])
    elf.references(range(1, 4))
    return ask(folder, elf.finish(), told=())


@case("20,000 names of C++ that stand for as much as is read")
def many_growing_names(folder):
    elf = Elf()
    count = 20_000
    names = [elf.string(growing_name(f"f{number}", 6)) for number in range(count)]
    elf.symbols([(name, 0) for name in names])
    elf.gnu_hash(count + 1, [])
    elf.references(range(1, count + 1))
    return ask(folder, elf.finish(), told=())


@case("100,000 functions like those that are missing")
def many_like_the_missing(folder):
    other, count = Elf(), 100_000
    other.enter((E.DT_SONAME, other.string(b"libother.so")))
    other.symbols([(other.string(b"_ZN1a1fILi%dEEEv1AIiE" % number), 1) for number in range(count)])
    other.gnu_hash(1, [0] * (count - 1) + [1], buckets=(1,))
    write(os.path.join(folder, "libother.so"), other.finish())
    elf = Elf()
    names = [elf.string(b"_ZN1a1fILi%dEEEv1AIcE" % number) for number in range(64)]
    elf.enter((E.DT_NEEDED, elf.string(b"libother.so")))
    elf.symbols([(name, 0) for name in names])
    elf.gnu_hash(65, [])
    elf.references(range(1, 65))
    library, program = os.path.join(folder, "libbad.so"), os.path.join(folder, "main")
    write(library, elf.finish())
    write_elf(program, program=True, needed=["libother.so", "libbad.so"], runpath="$ORIGIN")
    return [Asked(["explain", "-f", "json", program], told=("CUD201",), about="the name with other parameters"),
            Asked(["explain", program])]


# --- the dynamic table, notes, segments -----------------------------------------------------------


@case("1,000,000 needed libraries of one name")
def needed_often(folder):
    elf = Elf()
    name = elf.string(b"libnowhere.so")
    elf.enter(*[(E.DT_NEEDED, name)] * 1_000_000)
    return ask(folder, elf.finish(), show="dynamic table")


@case("1,000,000 different entries in the dynamic table")
def many_tags(folder):
    elf = Elf()
    elf.enter(*[(0x6000_0000 + i, i) for i in range(1_000_000)])
    return ask(folder, elf.finish(), told=(), alone=False)


@case("1,000,000 needed names outside the string table")
def bad_names(folder):
    elf = Elf()
    elf.enter(*[(E.DT_NEEDED, 0x7FFF_0000 + i) for i in range(1_000_000)])
    return ask(folder, elf.finish(), told=("CUD901", "CUD902"))


@case("1,000,000 needed names without an end")
def endless_names(folder):
    elf = Elf()
    at = len(elf.strings)
    elf.strings += b"l" * (3 * MIB)
    elf.enter(*[(E.DT_NEEDED, at + i) for i in range(1_000_000)])
    return ask(folder, elf.finish(), told=("CUD901", "CUD902"))


@case("10,000 needed libraries and a runpath of 10,000 folders")
def needed_times_folders(folder):
    elf = Elf()
    elf.enter(*[(E.DT_NEEDED, elf.string(b"lib%d.so" % i)) for i in range(10_000)])
    elf.enter((E.DT_RUNPATH, elf.string(b":".join(b"/nowhere%d" % i for i in range(10_000)))))
    asked = ask(folder, elf.finish(), show="")
    # The question is too dear, not the file.
    for one in asked:
        one.about = ""
    return asked


def note(owner, kind, data):
    raw = struct.pack("<III", len(owner) + 1, len(data), kind) + owner + b"\0"
    raw += bytes(-len(raw) % 4) + data
    return raw + bytes(-len(raw) % 4)


@case("64 note segments over 1 MiB of JSON about libraries")
def repeated_dlopen_notes(folder):
    elf = Elf()
    entry = b'{"soname":["a"]},'
    data = note(b"FDO", 0x407C0C0A, b"[" + entry * ((MIB - 100) // len(entry)) + b"{}]")
    at = elf.put(data)
    for _ in range(64):
        elf.segment(E.PT_NOTE, at, len(data))
    return ask(folder, elf.finish())


@case("one .note.dlopen that names 100,000 libraries")
def many_dlopen_names(folder):
    elf = Elf()
    data = note(b"FDO", 0x407C0C0A, b'[{"soname":[' + b'"b",' * 100_000 + b'"b"]}]')
    elf.segment(E.PT_NOTE, elf.put(data), len(data))
    return ask(folder, elf.finish())


@case("60,000 note segments over the same 1 MiB of small notes")
def repeated_notes(folder):
    elf = Elf()
    data = note(b"GNU", 99, b"") * (MIB // 16)
    at = elf.put(data)
    for _ in range(60_000):
        elf.segment(E.PT_NOTE, at, len(data))
    return ask(folder, elf.finish())


@case("1 MiB of GNU properties, 64 times")
def repeated_properties(folder):
    elf = Elf()
    data = note(b"GNU", 5, struct.pack("<II", 1, 0) * ((MIB - 100) // 8))
    at = elf.put(data)
    for _ in range(64):
        elf.segment(E.PT_NOTE, at, len(data), align=8)
    return ask(folder, elf.finish(), told=(), alone=False)


@case("60,000 interpreters")
def many_interpreters(folder):
    elf = Elf()
    at = elf.put(b"/" * 4000 + b"\0" + b"x" * 100_000)
    for i in range(60_000):
        elf.segment(E.PT_INTERP, at + i, 4096)
    return ask(folder, elf.finish(), told=("CUD901", "CUD902"), alone=False)


# --- GPU code, sections, constants ----------------------------------------------------------------


def container(entries=b""):
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


def fatbin_entry(number=90):
    return struct.pack("<HHIQ12xI8xQ", 2, 0x101, 48, 0, number, 0x11)


def with_gpu_code(elf, data, times):
    at = elf.put(data)
    for _ in range(times):
        elf.section(b".nv_fatbin", at, len(data))
    elf.section(b".nvFatBinSegment", at, 8)
    return elf.finish()


@case("65,000 sections over 60,000 empty fatbins")
def empty_fatbins(folder):
    return ask(folder, with_gpu_code(Elf(), container() * 60_000, 65_000), options=["--gpu-code"], show="steps")


@case("65,000 sections over one fatbin of 10,000 entries")
def repeated_fatbins(folder):
    data = with_gpu_code(Elf(), container(fatbin_entry() * 10_000), 65_000)
    return ask(folder, data, options=["--gpu-code"], show="fatbin")


@case("1,000,000 entries of fatbins")
def many_entries(folder):
    data = with_gpu_code(Elf(), container(fatbin_entry() * 1_000_000), 1)
    return ask(folder, data, options=["--gpu-code"], show="fatbin")


@case("30,000 wrappers of fatbins and 60,000 load segments")
def wrappers_times_segments(folder):
    elf = Elf()
    fatbin = elf.put(container(fatbin_entry()))
    wrappers = b"".join(struct.pack("<IIQQ", 0x466243B1, 1, 0x7000_0000_0000 + i * 8, 0) for i in range(30_000))
    at = elf.put(wrappers)
    for i in range(60_000):
        place, size = (at, len(wrappers)) if i == 0 else (fatbin, 8)
        elf.segment(E.PT_LOAD, place, size, 0x1000_0000 + i * 0x1000, flags=6)
    library = os.path.join(folder, "libbad.so")
    write(library, elf.finish())
    return [
        Asked(["explain", "-f", "json", "--gpu-code", library], about="libbad.so"),
        Asked(["show", "-f", "json", library], defect="steps", status=(0,)),
    ]


@case("60,000 sections of constants over the same 1 MiB of names")
def repeated_constants(folder):
    elf = Elf()
    elf.symbols([(elf.string(b"dlopen"), 0)])
    elf.gnu_hash(2, [])
    elf.references([1])
    data = b".so" * (MIB // 3)
    at = elf.put(data)
    for _ in range(60_000):
        elf.section(b".rodata", at, len(data))
    library = os.path.join(folder, "libbad.so")
    asked = ask(folder, elf.finish(), told=())
    return [*asked, Asked(["explain", "-f", "json", "--constants", "files", library], told=())]


@case("60,000 sections whose names lie far apart")
def scattered_section_names(folder):
    elf = Elf()
    for i in range(60_000):
        elf.section(b".text" + b"x" * 200 + b"%d" % i, 0x1000, 8)
    return ask(folder, elf.finish(), told=(), alone=True)


@case("60,000 load segments over the same bytes, of a library named like CUDA's runtime")
def repeated_segments(folder):
    elf = Elf()
    elf.enter((E.DT_SONAME, elf.string(b"libbad.so")))
    data = b"\x48\x85\xff\x74\x08\xc7\x07" * (MIB // 8)
    at = elf.put(data)
    for i in range(60_000):
        elf.segment(E.PT_LOAD, at, len(data), 0x1000_0000 + i * 0x200_0000, flags=5)
    return ask(folder, elf.finish(), told=())


def crowded_cuda(folder, use_gnu):
    """The names by which libraries of CUDA are known are hashed to long chains of long names."""
    elf = Elf()
    elf.enter((E.DT_SONAME, elf.string(b"libcudart.so.12")))
    count = 5000
    name = elf.string(b"c" * 16_000)
    elf.symbols([(name, 1)] * count)
    if use_gnu:
        value = gnu(b"cudaRuntimeGetVersion") & ~1
        elf.gnu_hash(1, [value] * (count - 1) + [value | 1], buckets=(1,))
    else:
        chain = [0, *range(2, count + 1), 0]
        elf.enter((E.DT_HASH, elf.put(struct.pack(f"<3I{len(chain)}I", 1, len(chain), 1, *chain))))
    return ask(folder, elf.finish(), told=())


@case("CUDA's functions in a DT_HASH chain of long names")
def crowded_cuda_sysv(folder):
    return crowded_cuda(folder, False)


@case("CUDA's functions in a GNU hash chain of long names")
def crowded_cuda_gnu(folder):
    return crowded_cuda(folder, True)


# --- what the loader consults ---------------------------------------------------------------------


def root_with(folder, files):
    """A root with a program that lacks a library; `files`: path -> bytes."""
    root = os.path.join(folder, "root")
    os.makedirs(os.path.join(root, "lib64"))
    os.makedirs(os.path.join(root, "etc"))
    write_elf(os.path.join(root, "main"), program=True, needed=["lib1.so", "libgone.so"])
    for path, data in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        write(os.path.join(root, path), data)
    return root


def ask_root(root, told=("CUD902",)):
    return [Asked(["explain", "-f", "json", "--sysroot", root, "/main"], told=told, stands=lacks_another)]


def cache(entries, strings, extension=b""):
    """`entries`: (key, value, hwcap) with offsets into the strings."""
    at = 48 + 24 * len(entries)
    padded = strings + bytes(-(at + len(strings)) % 4)
    extension_at = at + len(padded) if extension else 0
    header = b"glibc-ld.so.cache1.1" + struct.pack("<IIB3xI12x", len(entries), len(padded), 2, extension_at)
    table = b"".join(struct.pack("<IIIIQ", 0x0303, at + key, at + value, 0, hwcap) for key, value, hwcap in entries)
    return header + table + padded + extension


@case("an ld.so.cache of 100,000 equal names, each of 1 MB of digits")
def long_cache_names(folder):
    strings = b"lib" + b"0" * MIB + b"1.so\0/lib64/lib1.so\0"
    return ask_root(root_with(folder, {"etc/ld.so.cache": cache([(0, MIB + 9, 1 << 40)] * 100_000, strings)}))


@case("an ld.so.cache whose 30,000 extensions all list the same 200,000 names")
def cache_extensions(folder):
    strings = b"lib1.so\0/lib64/lib1.so\0x86-64-v9\0"
    body = cache([(0, 8, (1 << 62) | 1)] * 2, strings, b"x")
    at = 48 + 48
    extension = struct.pack("<II", 0xEAA42174, 30_000)
    places = len(body) - 1 + len(extension) + 30_000 * 16
    extension += struct.pack("<IIII", 1, 0, places, 800_000) * 30_000 + struct.pack("<I", at + 23) * 200_000
    return ask_root(root_with(folder, {"etc/ld.so.cache": cache([(0, 8, (1 << 62) | 1)] * 2, strings, extension)}))


@case("an ld.so.conf that includes one folder of 900 files 60,000 times")
def repeated_includes(folder):
    files = {f"etc/d/{i}.conf": b"/lib64\n" for i in range(900)}
    files["etc/ld.so.conf"] = b"include d/*.conf\n" * 60_000
    return ask_root(root_with(folder, files), told=())


@case("900 files of ld.so.conf, each 1 MiB of newlines")
def many_lines(folder):
    root = root_with(folder, {"etc/ld.so.conf": b"include d/*.conf\n", "etc/d/0.conf": b"\n" * (MIB - 1)})
    for i in range(1, 900):
        os.symlink("0.conf", os.path.join(root, f"etc/d/{i}.conf"))
    return ask_root(root)


@case("an ld.so.conf with a pattern of many stars")
def many_stars(folder):
    files = {"etc/d/" + "a" * 250: b"/lib64\n", "etc/ld.so.conf": b"include d/" + b"*a" * 60 + b"*b\n"}
    return ask_root(root_with(folder, files))


@case("an ld.so.preload of 13,000 names")
def many_preloads(folder):
    names = b"\n".join(b"%x" % i for i in range(13_000))
    return ask_root(root_with(folder, {"etc/ld.so.preload": names, "etc/ld.so.conf": b""}), told=("CUD902",))


@case("a loader whose folders are 1 MiB of one name")
def many_system_folders(folder):
    files = {"lib64/ld-linux-x86-64.so.2": b"\x7fELF\0" + b"/lib/\0" * (MIB // 6)}
    root = root_with(folder, files)
    # The kernel does not even start it.
    return [Asked(["explain", "-f", "json", "--sysroot", root, "/main"], told=("CUD902", "CUD123"))]


@case("the program's loader needs a version that nothing has")
def loader_without_version(folder):
    # Nobody maps it by a need, so it has no number among the objects; the blame falls on no other.
    root = root_with(folder, {})
    elf = Elf()
    elf.enter((E.DT_SONAME, elf.string(b"ld-odd.so")))
    elf.enter((E.DT_NEEDED, elf.string(b"lib1.so")))
    verneed(elf, elf.string(b"lib1.so"), [elf.string(b"NOBODY_HAS_IT")])
    write(os.path.join(root, "lib64/ld-odd.so"), elf.finish())
    one = Elf()
    one.enter((E.DT_SONAME, one.string(b"lib1.so")))
    verdef(one, [one.string(b"LIB_1")])
    write(os.path.join(root, "lib64/lib1.so"), one.finish())
    write_elf(os.path.join(root, "main"), program=True, interp="/lib64/ld-odd.so", needed=["lib1.so", "libgone.so"])

    def nobody_blamed(document):
        blamed = [f["message"] for f in document["findings"] if "NOBODY_HAS_IT" in f["message"]]
        return f"{blamed}" if blamed else lacks_another(document)

    asked = Asked(["explain", "-f", "json", "--sysroot", root, "/main"])
    asked.told, asked.about, asked.stands = ("CUD101",), "libgone.so", nobody_blamed
    return [asked]


# --- PE -----------------------------------------------------------------------------------------


def ask_pe(folder, data, defect="", told=("CUD902",)):
    path = os.path.join(folder, "bad.dll")
    write(path, data)
    return [
        Asked(["show", "-f", "json", path], told=(), defect=defect, status=(0,)),
        Asked(["explain", "-f", "json", path], told=told),
        Asked(["explain", path]),
    ]


@case("60,000 imported DLLs")
def many_dlls(folder):
    pe = pe_writer.PeFile()
    pe.imports([(b"d%d.dll" % i, [b"f"]) for i in range(60_000)])
    return ask_pe(folder, pe.finish(), told=("CUD101", "CUD902"))


@case("60,000 exports that forward to one another, and 60,000 imports of them")
def forwarder_chain(folder):
    count = 60_000
    pe = pe_writer.PeFile()
    names = [b"f%05d" % i for i in range(count)]
    pe.imports([(b"bad.dll", names)])
    following = [b"bad." + name for name in names[1:]] + [None]
    pe.exports(b"bad.dll", list(zip(names, following)))
    return ask_pe(folder, pe.finish(), told=())


@case("names of functions without an end")
def endless_function_names(folder):
    count = 200_000
    pe = pe_writer.PeFile()
    text = pe.add(b"f" * (2 * MIB))
    thunks = struct.pack(f"<{count + 1}Q", *[pe_writer.address(text) + i for i in range(count)], 0)
    names = pe_writer.address(pe.add(thunks))
    name = pe_writer.address(pe.add(b"x.dll\0"))
    table = pe.add(struct.pack("<5I", names, 0, 0, name, names) + bytes(20))
    pe.enter(pe_writer.IMPORT, table, 40)
    exports = pe.exports(b"bad.dll", [(b"a", None)])
    addresses = pe_writer.address(pe.add(struct.pack("<60000I", *[0x10] * 60_000)))
    ends = pe_writer.address(pe.add(struct.pack("<60000I", *[pe_writer.address(text) + i for i in range(60_000)])))
    indexes = pe_writer.address(pe.add(struct.pack("<60000H", *range(60_000))))
    pe.poke(exports + 20, "<IIIII", 60_000, 60_000, addresses, ends, indexes)
    return ask_pe(folder, pe.finish(), told=())


if __name__ == "__main__":
    sys.exit(run(__doc__, CASES))
