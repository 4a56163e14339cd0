"""Hostile tables behind the dynamic section: strings, versions, hashes, symbols, notes."""

import itertools
import struct

import elf_file as E
from case import bytes_case
from samples import DT_JMPREL, DT_PLTRELSZ, DT_RELA, DT_RELASZ, HUGE, POINTERS, SIZES, STRINGS, U64, Edit


def dynamic(samples):
    library = E.ElfFile(samples.library)
    dynamic_address = library.segment(E.PT_DYNAMIC)["vaddr"]
    last = max(s["vaddr"] + s["memsz"] for s in library.segments if s["type"] == E.PT_LOAD)
    places = {
        "nowhere": 0x7000_0000,
        "0": 0,
        "1": 1,
        "the dynamic section": dynamic_address,
        "the last byte": last - 1,
    }
    places.update({f"{value:#x}": value for value in HUGE})
    for (name, tag), (where, address) in itertools.product(POINTERS.items(), places.items()):
        yield bytes_case(
            samples, f"{name} points to {where}", Edit(samples.library).dynamic(tag, address).bytes()
        )
    for (name, tag), value in itertools.product(SIZES.items(), [0, 1, 0xFFFFFFFF, 1 << 40, *HUGE]):
        yield bytes_case(samples, f"{name} is {value:#x}", Edit(samples.library).dynamic(tag, value).bytes())
    for (name, tag), value in itertools.product(STRINGS.items(), [0, 0xFFFFFFFF, *HUGE]):
        yield bytes_case(
            samples, f"{name} is string {value:#x}", Edit(samples.library).dynamic(tag, value).bytes()
        )
    for name, tag in {**POINTERS, **SIZES, **STRINGS}.items():
        yield bytes_case(samples, f"no {name}", Edit(samples.library).without(tag).bytes())

    at = library.segment(E.PT_DYNAMIC)
    endless = Edit(samples.library)
    for offset in range(at["fileoff"], at["fileoff"] + at["filesz"], 16):
        if endless.get(offset, "q")[0] == 0:
            endless.put(offset, "qQ", 0x6000_0000, 0)
    yield bytes_case(samples, "the dynamic section has no DT_NULL", endless.bytes())
    header = Edit(samples.library).segments(E.PT_DYNAMIC)[0]
    for size in (1, 15, 16, 17):
        data = Edit(samples.library).segment(header, filesz=size, memsz=size).bytes()
        yield bytes_case(samples, f"the dynamic section has {size} bytes", data)
    repeated = Edit(samples.library)
    for offset in range(at["fileoff"] + 32, at["fileoff"] + at["filesz"] - 16, 16):
        repeated.put(offset, "qQ", E.DT_STRTAB, 0)
    yield bytes_case(samples, "DT_STRTAB fills the dynamic section", repeated.bytes())
    strings = library.file_offset(library.value(E.DT_STRTAB))
    full = Edit(samples.library)
    full.data[strings : strings + library.value(E.DT_STRSZ)] = b"A" * library.value(E.DT_STRSZ)
    yield bytes_case(samples, "no string has an end", full.bytes())


def versions(samples):
    edit = Edit(samples.library)
    (need, need_auxes), *_ = edit.verneeds()
    (definition, auxes), *_ = edit.verdefs()
    fields = {
        "vn_version": (need, "H"),
        "vn_cnt": (need + 2, "H"),
        "vn_file": (need + 4, "I"),
        "vn_aux": (need + 8, "I"),
        "vn_next": (need + 12, "I"),
        "vna_hash": (need_auxes[0], "I"),
        "vna_other": (need_auxes[0] + 6, "H"),
        "vna_name": (need_auxes[0] + 8, "I"),
        "vna_next": (need_auxes[0] + 12, "I"),
        "vd_version": (definition, "H"),
        "vd_flags": (definition + 2, "H"),
        "vd_ndx": (definition + 4, "H"),
        "vd_cnt": (definition + 6, "H"),
        "vd_aux": (definition + 12, "I"),
        "vd_next": (definition + 16, "I"),
        "vda_name": (auxes[0], "I"),
        "vda_next": (auxes[0] + 4, "I"),
    }
    for name, (at, layout) in fields.items():
        top = 0xFFFF if layout == "H" else 0xFFFFFFFF
        for value in sorted({0, 1, 4, 16, 0x7FFF, top, top - 15}):
            yield bytes_case(
                samples, f"{name} is {value:#x}", Edit(samples.library).put(at, layout, value).bytes()
            )
    # Steps of 0 end a list; the smallest others make it overlap itself, and the counts are at their largest.
    loop = (
        Edit(samples.library)
        .put(need + 2, "H", 0xFFFF)
        .put(need_auxes[0] + 12, "I", 1)
        .put(need + 12, "I", 1)
    )
    yield bytes_case(
        samples,
        "verneed overlaps itself, with the largest counts",
        loop.dynamic(E.DT_VERNEEDNUM, U64).bytes(),
    )
    loop = (
        Edit(samples.library)
        .put(definition + 6, "H", 0xFFFF)
        .put(auxes[0] + 4, "I", 1)
        .put(definition + 16, "I", 1)
    )
    yield bytes_case(
        samples, "verdef overlaps itself, with the largest counts", loop.dynamic(E.DT_VERDEFNUM, U64).bytes()
    )
    for value in (0x7FFF, 0xFFFF, 0x8000):
        edit = Edit(samples.library)
        versym = edit.table(E.DT_VERSYM)
        for i in range(1, edit.symbol_count()):
            edit.put(versym + 2 * i, "H", value)
        yield bytes_case(samples, f"every version index is {value:#x}", edit.bytes())


def hashes(samples):
    gnu = Edit(samples.library).table(E.DT_GNU_HASH)
    buckets, start, bloom, _ = Edit(samples.library).get(gnu, "IIII")
    fields = {"nbuckets": gnu, "symoffset": gnu + 4, "bloom_size": gnu + 8, "bloom_shift": gnu + 12}
    for name, at in fields.items():
        for value in (0, 1, 3, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF):
            yield bytes_case(
                samples,
                f"{name} of DT_GNU_HASH is {value:#x}",
                Edit(samples.library).put(at, "I", value).bytes(),
            )

    bucket_table = gnu + 16 + 8 * bloom
    chains = bucket_table + 4 * buckets

    def everything_passes():
        edit = Edit(samples.library)
        for i in range(bloom):
            edit.put(gnu + 16 + 8 * i, "Q", U64)
        return edit

    for value in (1, start, 0x7FFFFFFF, 0xFFFFFFFF):
        edit = everything_passes()
        for i in range(buckets):
            edit.put(bucket_table + 4 * i, "I", value)
        yield bytes_case(samples, f"every GNU hash bucket is {value:#x}", edit.bytes())
    edit = everything_passes()
    for at in range(chains, chains + 4 * (edit.symbol_count() - start), 4):
        edit.put(at, "I", edit.get(at, "I")[0] & ~1)
    yield bytes_case(samples, "GNU hash chains without end", edit.bytes())

    # The loader prefers DT_GNU_HASH: take it away, so that DT_HASH is used.
    sysv = Edit(samples.library).table(E.DT_HASH)
    nbucket, nchain = Edit(samples.library).get(sysv, "II")
    for name, at in (("nbucket", sysv), ("nchain", sysv + 4)):
        for value in (0, 1, 0x7FFFFFFF, 0xFFFFFFFF):
            edit = Edit(samples.library).without(E.DT_GNU_HASH).put(at, "I", value)
            yield bytes_case(samples, f"{name} of DT_HASH is {value:#x}", edit.bytes())
    cycle = Edit(samples.library).without(E.DT_GNU_HASH)
    for i in range(nchain):
        cycle.put(sysv + 8 + 4 * (nbucket + i), "I", i)
    yield bytes_case(samples, "DT_HASH chains that point to themselves", cycle.bytes())
    cycle = Edit(samples.library).without(E.DT_GNU_HASH)
    for i in range(nchain):
        cycle.put(sysv + 8 + 4 * (nbucket + i), "I", (i + 1) % nchain or 1)
    yield bytes_case(samples, "DT_HASH chains in one cycle", cycle.bytes())
    for value in (nchain, 0x7FFFFFFF, 0xFFFFFFFF):
        edit = Edit(samples.library).without(E.DT_GNU_HASH)
        for i in range(nbucket):
            edit.put(sysv + 8 + 4 * i, "I", value)
        yield bytes_case(samples, f"every DT_HASH bucket is {value:#x}", edit.bytes())


def symbols(samples):
    """Elf64_Sym: st_name 0 I, st_info 4 B, st_other 5 B, st_shndx 6 H, st_value 8 Q, st_size 16 Q."""
    fields = {
        "st_name": (0, "I"),
        "st_info": (4, "B"),
        "st_other": (5, "B"),
        "st_shndx": (6, "H"),
        "st_value": (8, "Q"),
    }
    for name, (at, layout) in fields.items():
        top = (1 << (8 * struct.calcsize(layout))) - 1
        for value in (0, 1, top // 2, top):
            edit = Edit(samples.library)
            table = edit.table(E.DT_SYMTAB)
            for i in range(1, edit.symbol_count()):
                edit.put(table + 24 * i + at, layout, value)
            yield bytes_case(samples, f"every {name} is {value:#x}", edit.bytes())
    for what, info in {
        "symbol 0xffffffff": 0xFFFFFFFF << 32 | 6,
        "an unknown type": 5 << 32 | 0xFFFFFFFF,
    }.items():
        edit = Edit(samples.library)
        for tag, size in ((DT_RELA, DT_RELASZ), (DT_JMPREL, DT_PLTRELSZ)):
            for at in range(edit.table(tag), edit.table(tag) + edit.elf.value(size), 24):
                edit.put(at + 8, "Q", info)
        yield bytes_case(samples, f"every relocation has {what}", edit.bytes())


def notes(samples):
    at = E.ElfFile(samples.library).segment(E.PT_NOTE)["fileoff"]
    for field_, offset in (("namesz", 0), ("descsz", 4), ("type", 8)):
        for value in (0, 1, 0x7FFFFFFF, 0xFFFFFFFC, 0xFFFFFFFF):
            edit = Edit(samples.library).put(at + offset, "I", value)
            yield bytes_case(samples, f"{field_} of a note is {value:#x}", edit.bytes())
    edit = Edit(samples.library)
    for header in edit.segments(E.PT_NOTE):
        edit.segment(header, offset=0, filesz=len(edit.data), memsz=len(edit.data))
    yield bytes_case(samples, "the note segment is the whole file", edit.bytes())
