"""Random edits where the loader looks."""

import elf_file
from samples import DT_RELA, DT_RELASZ, Edit


def interesting_places(path):
    """(offset, size) of what the loader reads."""
    edit = Edit(path)
    elf = edit.elf
    places = [(0, 64), (elf.phoff, elf.phnum * elf.phentsize)]
    for type_ in (elf_file.PT_DYNAMIC, elf_file.PT_NOTE):
        places += [(s["fileoff"], s["filesz"]) for s in elf.segments if s["type"] == type_]
    count = edit.symbol_count()
    places.append((edit.table(elf_file.DT_STRTAB), elf.value(elf_file.DT_STRSZ)))
    places.append((edit.table(elf_file.DT_SYMTAB), 24 * count))
    places.append((edit.table(elf_file.DT_VERSYM), 2 * count))
    places.append((edit.table(elf_file.DT_HASH), 8 + 4 * sum(edit.get(edit.table(elf_file.DT_HASH), "II"))))
    buckets, start, bloom, _ = edit.get(edit.table(elf_file.DT_GNU_HASH), "IIII")
    places.append((edit.table(elf_file.DT_GNU_HASH), 16 + 8 * bloom + 4 * (buckets + count - start)))
    for chain, size in ((edit.verneeds(), 16), (edit.verdefs(), 20)):
        for at, auxes in chain:
            places.append((at, size))
            places += [(aux, 16 if size == 16 else 8) for aux in auxes]
    places.append((edit.table(DT_RELA), elf.value(DT_RELASZ)))
    return places


def mutated(rng, data, places):
    data = bytearray(data)
    edits = []
    for _ in range(rng.choice([1, 1, 1, 2, 3, 5, 8])):
        offset, size = rng.choice(places)
        at = offset + rng.randrange(size)
        kind = rng.choice(["bit", "byte", "number", "number", "swap"])
        if kind == "bit":
            data[at] ^= 1 << rng.randrange(8)
        elif kind == "byte":
            data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
        elif kind == "number":
            width = rng.choice([2, 4, 8])
            top = (1 << (8 * width)) - 1
            value = rng.choice(
                [0, 1, 2, top, top // 2, top // 2 + 1, top - 7, len(data), len(data) - 1, rng.randint(0, top)]
            )
            at = offset + (at - offset) // width * width
            data[at : at + width] = (value & top).to_bytes(width, "little")
        else:
            other = offset + rng.randrange(size)
            data[at], data[other] = data[other], data[at]
        edits.append(f"{kind} at {at:#x}")
    return bytes(data), ", ".join(edits)
