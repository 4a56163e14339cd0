"""Hostile ELF and program headers."""

import itertools
import struct

import elf_file as E
from case import bytes_case, program_case
from elf_writer import elf_bytes
from samples import HEADER, HUGE, SEGMENT, U64, Edit

HEADER_VALUES = {
    "class": [0, 1, 3, 255],
    "data": [0, 2, 3, 255],
    "ident_version": [0, 2, 255],
    "osabi": [3, 255],
    "abiversion": [255],
    "pad": [255],
    "type": [0, 1, 2, 4, 0xFFFF],
    "machine": [0, 3, 183, 0xFFFF],
    "version": [0, 0xFFFFFFFF],
    "entry": [U64],
    "phoff": [0, 1, 63, 1 << 40, *HUGE],
    "shoff": [1, *HUGE],
    "flags": [0xFFFFFFFF],
    "ehsize": [0, 0xFFFF],
    "phentsize": [0, 1, 32, 55, 57, 0xFFFF],
    "phnum": [0, 1, 0xFFFE, 0xFFFF],
    "shentsize": [0, 1, 0xFFFF],
    "shnum": [0, 0xFFFF],
    "shstrndx": [0xFFFF],
}


def headers(samples):
    for name, values in HEADER_VALUES.items():
        for value in values:
            yield bytes_case(
                samples, f"e_{name} is {value:#x}", Edit(samples.library).header(**{name: value}).bytes()
            )
    size = len(samples.library_bytes)
    for value in (size - 1, size, size + 1):
        edit = Edit(samples.library).header(phoff=value)
        yield bytes_case(samples, f"e_phoff is the file size {value - size:+}", edit.bytes())
    swapped = Edit(samples.library)
    for offset, layout in HEADER.values():
        length = struct.calcsize(layout)
        swapped.data[offset : offset + length] = swapped.data[offset : offset + length][::-1]
    yield bytes_case(samples, "big endian", swapped.header(data=2).bytes())
    yield bytes_case(
        samples,
        "ELF32 with 64-bit tables for i386",
        Edit(samples.library).header(**{"class": 1}, machine=3).bytes(),
    )
    yield bytes_case(
        samples,
        "ELF64 with 32-bit tables",
        elf_bytes(bits=32, needed=["libc.so.6"]).replace(b"ELF\1", b"ELF\2", 1),
    )


def segments(samples):
    """Every field of the first and last PT_LOAD, the dynamic section and a note, at its extremes."""
    edit = Edit(samples.library)
    chosen = {
        "the first PT_LOAD": edit.segments(E.PT_LOAD)[0],
        "the last PT_LOAD": edit.segments(E.PT_LOAD)[-1],
        "PT_DYNAMIC": edit.segments(E.PT_DYNAMIC)[0],
        "PT_NOTE": edit.segments(E.PT_NOTE)[0],
    }
    for (what, at), name in itertools.product(
        chosen.items(), ("offset", "vaddr", "filesz", "memsz", "align")
    ):
        for value in [0, 1, 0x1000, *HUGE]:
            data = Edit(samples.library).segment(at, **{name: value}).bytes()
            yield bytes_case(samples, f"p_{name} of {what} is {value:#x}", data)
    for what, at in chosen.items():
        offset, vaddr = (edit.get(at + SEGMENT[n][0], "Q")[0] for n in ("offset", "vaddr"))
        wraps = Edit(samples.library).segment(
            at, filesz=min(U64, U64 - offset + 2), memsz=min(U64, U64 - vaddr + 2)
        )
        yield bytes_case(samples, f"{what} wraps around", wraps.bytes())
        yield bytes_case(samples, f"{what} is of type 0", Edit(samples.library).segment(at, type=0).bytes())
    program = Edit(samples.program)
    interp = program.segments(E.PT_INTERP)[0]
    for name, value in itertools.product(("offset", "filesz"), [0, 1, *HUGE]):
        yield program_case(
            samples,
            f"p_{name} of PT_INTERP is {value:#x}",
            Edit(samples.program).segment(interp, **{name: value}),
        )
    at = program.elf.segment(E.PT_INTERP)["fileoff"]
    edit = Edit(samples.program)
    edit.data[at : at + program.elf.segment(E.PT_INTERP)["filesz"]] = (
        b"/" * program.elf.segment(E.PT_INTERP)["filesz"]
    )
    yield program_case(samples, "PT_INTERP has no end", edit)


def segment_sets(samples):
    """Sets of segments that contradict each other."""
    edit = Edit(samples.library)
    loads = edit.segments(E.PT_LOAD)
    first = {name: edit.get(loads[0] + at, layout)[0] for name, (at, layout) in SEGMENT.items()}
    yield bytes_case(
        samples,
        "two PT_LOAD at one address",
        Edit(samples.library).segment(loads[-1], vaddr=first["vaddr"]).bytes(),
    )
    swapped = Edit(samples.library)
    a, b = loads[0], loads[-1]
    swapped.data[a : a + 56], swapped.data[b : b + 56] = edit.data[b : b + 56], edit.data[a : a + 56]
    yield bytes_case(samples, "PT_LOAD in descending order", swapped.bytes())
    spare = edit.segments(0x6474E550)[0]  # PT_GNU_EH_FRAME, which the loader does not look at
    for name, type_ in (
        ("PT_DYNAMIC", E.PT_DYNAMIC),
        ("PT_INTERP", E.PT_INTERP),
        ("PT_LOAD", E.PT_LOAD),
        ("PT_TLS", 7),
    ):
        yield bytes_case(
            samples,
            f"a second {name}, of something else",
            Edit(samples.library).segment(spare, type=type_).bytes(),
        )
    no_load = Edit(samples.library)
    for at in loads:
        no_load.segment(at, type=0)
    yield bytes_case(samples, "no PT_LOAD", no_load.bytes())
    yield bytes_case(samples, "65,534 program headers, all PT_LOAD", many_segments(samples, 65534))
    yield bytes_case(
        samples, "65,534 program headers, all PT_DYNAMIC", many_segments(samples, 65534, E.PT_DYNAMIC)
    )
    yield bytes_case(samples, "65,534 program headers, all PT_NOTE", many_segments(samples, 65534, E.PT_NOTE))


def many_segments(samples, count, type_=E.PT_LOAD):
    """The sample, with new program headers behind its end: its own, and copies of one of them."""
    edit = Edit(samples.library)
    size = len(edit.data)
    old = bytes(edit.data[edit.elf.phoff : edit.elf.phoff + edit.elf.phnum * 56])
    at = edit.segments(type_)[-1]
    copies = bytes(edit.data[at : at + 56]) * (count - edit.elf.phnum)
    return edit.header(phoff=size, phnum=count).bytes() + old + copies
