#!/usr/bin/env python3
"""Gives cudald hostile PE files: each must end in a clear defect, in bounded time and memory.

    pe_files.py CUDALD [--only GLOB] [--every N] [--keep DIR] [--time-limit S] [--memory-limit MB]
                [--mutate N] [--seed S]

Each file is shown as JSON and as text, and explained. --mutate adds N random edits of a healthy file; with a build that
has sanitizers, that is where they count. Output is TAP.
"""

import argparse
import fnmatch
import json
import os
import random
import struct
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import pe_writer  # noqa: E402
from measured import measured  # noqa: E402
from pe_writer import (  # noqa: E402
    DELAY_IMPORT, DIRECTORIES, EXPORT, IMPORT, RESOURCE, SECTION_HEADERS, PeFile, address,
)
from run import LARGEST_OUTPUT, Limits, control_characters, ending_faults  # noqa: E402
from sampled import add_every, in_sample  # noqa: E402
from tap import Tap, first  # noqa: E402

NOWHERE = 0x7FFF0000
CASES = {}  # name -> (function that gives the bytes, words of the defect)


def case(words):
    def enlist(build):
        CASES[build.__name__.replace("_", " ")] = (build, words)
        return build

    return enlist


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--only", default="*", metavar="GLOB")
    add_every(parser)
    parser.add_argument("--keep", metavar="DIR", help="leave the files there (of --mutate: those that failed)")
    parser.add_argument("--time-limit", type=float, default=2, metavar="S")
    parser.add_argument("--memory-limit", type=int, default=256, metavar="MB")
    parser.add_argument("--mutate", type=int, default=0, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    options = parser.parse_args()
    cudald = os.path.abspath(options.cudald)
    limits = Limits(options.time_limit, options.memory_limit)

    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            os.makedirs(options.keep, exist_ok=True)
        path = os.path.join(folder, "x.dll")
        write(path, pe_writer.sample())
        faults, defects = judge(cudald, path, limits)
        tap.ok(not faults and not defects, "the healthy file has no defect", [*faults, *defects])
        for name, (build, words) in CASES.items():
            if not (fnmatch.fnmatch(name, options.only) and in_sample(name, options.every)):
                continue
            data = build()
            write(path, data)
            if options.keep:
                write(os.path.join(options.keep, name.replace(" ", "-")), data)
            faults, defects = judge(cudald, path, limits)
            if not any(words in defect for defect in defects):
                faults.append(f"no defect with the words {words!r}: {defects[:5]}")
            tap.ok(not faults, name, first(faults))
        if options.mutate:
            mutate(tap, cudald, path, limits, options)
    return tap.finish()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def judge(cudald, path, limits, largest_output=LARGEST_OUTPUT):
    """What is wrong with cudald's answers about one file, and the defects that it tells of."""
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    env.update({name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")})
    faults, defects = [], []
    for arguments in (["show", "-f", "json"], ["show", "-v"], ["explain"]):
        ending = measured([cudald, *arguments, path], 4 * limits.seconds, largest_output, env=env)
        told = [*ending_faults(ending, limits), *control_characters(ending.stdout + ending.stderr)]
        if arguments[0] == "show" and ending.status != 0:
            told.append(f"exit status {ending.status}")
        # It is loaded by a program of Windows, or there is one line that says why it cannot be.
        judged = ending.status in (0, 1, 3) and ending.stdout.split(b" ")[0] in (b"LOADS", b"RISK", b"FAILS",
                                                                                 b"UNKNOWN")
        refused = ending.status == 3 and len(ending.stderr.splitlines()) == 1
        if arguments[0] == "explain" and not (judged or refused):
            told.append(f"neither a verdict nor one clear line: {ending.stdout[:100]!r} {ending.stderr[:300]!r}")
        faults += [f"{' '.join(arguments)}: {fault}" for fault in told]
        if "json" in arguments and not told:
            defects = [defect["message"] for defect in json.loads(ending.stdout)["defects"]]
    return faults, defects


def mutate(tap, cudald, path, limits, options):
    healthy = pe_writer.sample()
    failed = []
    for number in range(options.mutate):
        rng = random.Random(f"{options.seed}/{number}")
        data = bytearray(healthy)
        for _ in range(rng.randint(1, 6)):
            at = rng.choice([rng.randrange(0x3C, pe_writer.HEADERS // 2),
                             rng.randrange(pe_writer.HEADERS, len(data) - 4)])
            value = rng.choice([0, 1, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x1000, rng.randrange(1 << 32),
                                rng.randrange(0x2000)])
            size = rng.choice([1, 2, 4])
            data[at : at + size] = struct.pack("<I", value)[:size]
        if rng.random() < 0.1:
            del data[rng.randrange(len(data)) :]
        write(path, data)
        faults, _ = judge(cudald, path, limits, 16 << 20)
        if faults:
            failed += [f"seed {options.seed}, file {number}: {fault}" for fault in faults]
            if options.keep:
                write(os.path.join(options.keep, f"mutated-{number}"), data)
    tap.ok(not failed, f"{options.mutate} random edits, seed {options.seed}", first(failed))


# --- headers and sections -------------------------------------------------------------------------


def edited(layout, offset, *values):
    pe = PeFile()
    pe.imports([(b"a.dll", [b"f"])])
    data = bytearray(pe.finish())
    struct.pack_into(layout, data, offset, *values)
    return bytes(data)


@case("no PE header where the DOS header points")
def PE_header_nowhere():
    return edited("<I", 0x3C, 0xFFFFFFFF)


@case("no PE header where the DOS header points")
def PE_header_in_the_DOS_header():
    return edited("<I", 0x3C, 0)


@case("the optional header is too short")
def optional_header_of_no_size():
    return edited("<H", 0x54, 2)


@case("the section headers run past the end of the file")
def as_many_sections_as_can_be():
    return edited("<H", 0x46, 65535)


@case("overlaps the one before it in memory")
def overlapping_sections():
    pe = PeFile()
    pe.poke(0x46, "<H", 2)
    pe.imports([(b"a.dll", [b"f"])])
    pe.data[SECTION_HEADERS + 40 : SECTION_HEADERS + 46] = b".other"
    pe.poke(SECTION_HEADERS + 48, "<IIII", 0x1000, 0x1000, 64, 0x400)
    return pe.finish()


@case("overlaps the one before it in memory")
def sixty_thousand_overlapping_sections():
    count = 60000
    pe = PeFile()
    pe.poke(0x46, "<H", count)
    header = struct.pack("<8sIIII16x", b".same\x1b[1", 0x10000000, 0x1000, 0x10000000, 0x200)
    data = bytearray(pe.finish())[:SECTION_HEADERS] + header * count
    struct.pack_into("<II", data, DIRECTORIES + 8 * IMPORT, 0x1000, 20)
    return bytes(data)


@case("runs past the end of the file: it was cut short")
def cut_short():
    return pe_writer.sample()[:-64]


@case("says it has 4294967295 bytes")
def lying_directory_sizes():
    data = bytearray(pe_writer.sample())
    for directory in (EXPORT, IMPORT, RESOURCE, DELAY_IMPORT):
        struct.pack_into("<I", data, DIRECTORIES + 8 * directory + 4, 0xFFFFFFFF)
    return bytes(data)


@case("the import directory is outside the sections")
def directories_nowhere():
    data = bytearray(pe_writer.sample())
    for directory in (EXPORT, IMPORT, RESOURCE, DELAY_IMPORT):
        struct.pack_into("<I", data, DIRECTORIES + 8 * directory, NOWHERE)
    return bytes(data)


# --- imports --------------------------------------------------------------------------------------


@case("names of DLLs in the import table are empty, are outside")
def DLL_names_nowhere():
    pe = PeFile()
    table = pe.imports([(b"a.dll", [b"f"]), (b"b.dll", [b"g"])])
    pe.poke(table + 12, "<I", NOWHERE)
    return pe.finish()


@case("the import table has no end inside its section")
def import_table_without_end():
    pe = PeFile()
    name = pe.add(b"a.dll\0")
    entry = struct.pack("<5I", address(name), 0, 0, address(name), address(name))
    table = pe.add(entry * 1000)
    pe.enter(IMPORT, table, 40)
    pe.data += b"\x01" * (-(len(pe.data) - pe_writer.HEADERS) % 4096)
    return pe.finish()


@case("the table of functions imported from a.dll has no end")
def function_table_nowhere():
    pe = PeFile()
    table = pe.imports([(b"a.dll", [b"f"])])
    pe.poke(table, "<I", NOWHERE)
    return pe.finish()


@case("the name of a function imported from a.dll is outside")
def function_table_that_is_the_import_table():
    pe = PeFile()
    table = pe.imports([(b"a.dll", [b"f"])])
    pe.poke(table, "<I", address(table))
    return pe.finish()


@case("imports more functions, or longer names, than are read")
def many_DLLs_with_one_table_of_functions():
    pe = PeFile()
    pe.imports([(b"a.dll", [b"f"] * 5000)])
    one = bytes(pe.data[-40:-20])
    table = pe.add(one * 20000 + bytes(20))
    pe.enter(IMPORT, table, 40)
    return pe.finish()


@case("names more DLLs, or longer ones, than are read")
def many_DLLs_with_one_long_name():
    pe = PeFile()
    name = pe.add(b"a" * 32000 + b"\0")
    pe.add(bytes(16))
    table = pe.add(struct.pack("<5I", address(name) + 32002, 0, 0, address(name), address(name)) * 60000 + bytes(20))
    pe.enter(IMPORT, table, 40)
    return pe.finish()


@case("names of DLLs in the import table are empty, are outside the sections or have no end")
def DLL_names_without_end():
    pe = PeFile()
    name = pe.add(b"a" * (1 << 20))
    table = pe.add(struct.pack("<5I", address(name), 0, 0, address(name), address(name)) * 3000 + bytes(20))
    pe.enter(IMPORT, table, 40)
    return pe.finish()


@case("the name of a function imported from a.dll is outside the sections or has no end")
def function_names_without_end():
    pe = PeFile()
    table = pe.imports([(b"a.dll", [b"f"])])
    long = pe.add(b"a" * (1 << 20))
    thunks = pe.add(struct.pack("<2Q", address(long), 0))
    pe.poke(table, "<I", address(thunks))
    return pe.finish()


@case("steps would be needed")
def function_names_far_apart():
    pe = PeFile()
    table = pe.imports([(b"a.dll", [b"f"])])
    places = [address(pe.add(b"\0\0f\0" + bytes(60000))) for _ in range(100)]
    thunks = pe.add(struct.pack(f"<{len(places) * 4000}Q", *places * 4000))
    pe.poke(table, "<I", address(thunks))
    return pe.finish()


@case("names of DLLs in the delay-import table are empty, are outside")
def delay_imports_below_the_image_base():
    pe = PeFile()
    table = pe.delay_imports([(b"a.dll", [b"f"])])
    pe.poke(table, "<I", 0)
    return pe.finish()


# --- exports --------------------------------------------------------------------------------------


@case("leads back to itself")
def forwarder_loop():
    pe = PeFile()
    pe.exports(b"x.dll", [(b"f", b"X.g"), (b"g", b"x.f")])
    return pe.finish()


@case("leads back to itself")
def long_forwarder_loop():
    pe = PeFile()
    count = 30000
    pe.exports(b"x.dll", [(b"f%d" % i, b"x.f%d" % ((i + 1) % count)) for i in range(count)])
    return pe.finish()


@case("ordinals have 16 bits, so 65536 are read")
def four_thousand_million_exports():
    pe = PeFile()
    directory = pe.exports(b"x.dll", [(b"f", None)])
    pe.poke(directory + 20, "<II", 0xFFFFFFFF, 0xFFFFFFFF)
    return pe.finish(memory=0x7FFF0000)


@case("exports longer names than are read")
def export_names_without_end():
    pe = PeFile()
    directory = pe.exports(b"x.dll", [(b"f", None)])
    long = pe.add(b"a" * (1 << 20))
    names = pe.add(struct.pack("<I", address(long)) * 65536)
    indexes = pe.add(bytes(2 * 65536))
    pe.poke(directory + 24, "<I4xII", 65536, address(names), address(indexes))
    return pe.finish()


@case("exports longer names than are read")
def sixty_thousand_exports_with_one_long_name():
    pe = PeFile()
    directory = pe.exports(b"x.dll", [(b"f", None)])
    long = pe.add(b"\x1b" + b"a" * 60000 + b"\0")
    names = pe.add(struct.pack("<I", address(long)) * 65536)
    indexes = pe.add(bytes(2 * 65536))
    pe.poke(directory + 24, "<I4xII", 65536, address(names), address(indexes))
    return pe.finish()


@case("forwarders in the export directory have no end or no dot")
def forwarders_that_are_none():
    pe = PeFile()
    pe.exports(b"x.dll", [(b"f\x1b[31m", b"no dot")])
    return pe.finish()


@case("the export directory runs past the end of its section")
def export_directory_at_the_end():
    pe = PeFile()
    pe.exports(b"x.dll", [(b"f", None)])
    pe.data += bytes(-(len(pe.data) - pe_writer.HEADERS) % 4096)
    pe.enter(EXPORT, len(pe.data) - 16, 40)
    return pe.finish()


# --- resources ------------------------------------------------------------------------------------


@case("a resource is outside the sections")
def resource_tree_that_loops():
    pe = PeFile()
    root = pe.resource(24, 2, b"<assembly/>")
    for level in range(3):
        pe.poke(root + 24 * level + 20, "<I", 0x80000000)
    return pe.finish()


@case("has more entries than are read")
def resource_folders_without_end():
    pe = PeFile()
    root = pe.resource(24, 2, b"<assembly/>")
    pe.poke(root + 14, "<H", 65535)
    return pe.finish(memory=0x7FFF0000)


@case("a resource is outside the sections")
def manifest_larger_than_the_file():
    pe = PeFile()
    root = pe.resource(24, 2, b"<assembly/>")
    pe.poke(root + 76, "<I", 0xFFFFFFFF)
    return pe.finish()


@case("the version resource is not what its type says")
def version_that_is_none():
    pe = PeFile()
    pe.resource(16, 1, b"\xff" * 100)
    return pe.finish()


@case("there are more manifests and versions than are read")
def many_manifests():
    pe = PeFile()
    text = b"<dependency><dependentAssembly>" + b"<assemblyIdentity name='\x1b'/>" * 30000
    root = pe.add(bytes(24 + 16 + 8 * 4000 + 24 + 16))
    pe.poke(root, "<14xHII", 1, 24, 24 | 0x80000000)
    pe.poke(root + 24, "<14xH", 4000)
    language = 24 + 16 + 8 * 4000
    for i in range(4000):
        pe.poke(root + 40 + 8 * i, "<II", i, language | 0x80000000)
    pe.poke(root + language, "<14xHII", 1, 1033, language + 24)
    pe.poke(root + language + 24, "<II", address(pe.add(text)), len(text))
    pe.enter(RESOURCE, root, 88)
    return pe.finish()


if __name__ == "__main__":
    sys.exit(main())
