#!/usr/bin/env python3
"""Writes wheels that are malformed, hostile or ambiguous, one fault each, and healthy ones of every accepted form.

    make_malformed.py DIR [NAME...]

Each is a wheel with one small healthy library, named after its fault. The same names give the same bytes.
CASES says which finding cudald owes, and a word or two that must be in it.
"""

import os
import struct
import sys
import zlib
from dataclasses import dataclass

from zip_writer import (
    ALL_ONES,
    DEFLATED,
    DESCRIPTOR_FLAG,
    DT_NEEDED,
    DT_STRSZ,
    STORED,
    UTF8_FLAG,
    Wheel,
    data_descriptor,
    deflate,
    elf_bytes,
    extra_field,
    record_row,
    zip64_end,
    zip64_locator,
)

MALFORMED, LIMIT, UNSAFE, DISAGREE, RECORD = "CUD901", "CUD902", "CUD507", "CUD506", "CUD505"
NO_CRC = 0x11111111


@dataclass
class Case:
    name: str
    spoil: object  # (Wheel) -> None, or bytes instead of those of the wheel
    code: str  # None: the wheel is healthy
    words: str  # in the finding
    options: tuple = ()  # of cudald


def case(code, words="", *options):
    """Makes a case of the function below it: its name is the fault's."""

    def add(spoil):
        CASES.append(Case(spoil.__name__, spoil, code, words, options))
        return spoil

    return add


CASES = []


# --- healthy: every form that installers agree upon ---------------------------------------------


@case(None)
def healthy(wheel):
    pass


@case(None)
def healthy_stored(wheel):
    wheel.library.method = STORED


@case(None)
def healthy_descriptors(wheel):
    for member in wheel.members:
        member.both["flags"] = DESCRIPTOR_FLAG
        member.local = {"crc": 0, "compressed": 0, "size": 0}
        compressed = len(member.stored_bytes())
        member.behind = data_descriptor(zlib.crc32(member.data), compressed, len(member.data))


@case(None)
def healthy_zip64(wheel):
    sizes = struct.pack("<QQ", len(wheel.library.data), len(wheel.library.stored_bytes()))
    wheel.library.both = {"size": ALL_ONES, "compressed": ALL_ONES, "extra": extra_field(1, sizes)}
    wheel.end = {"count_here": 0xFFFF, "count": 0xFFFF, "size": ALL_ONES, "offset": ALL_ONES}
    wheel.before_end = lambda start, size, count: zip64_end(start, size, count) + zip64_locator(start + size)


@case(None)
def healthy_data_folder(wheel):
    wheel.library.name = b"healthy_data_folder-1.0.data/platlib/pkg/libtiny.so"
    wheel.add(b"healthy_data_folder-1.0.data/scripts/tool", b"#!python\n", mode=0o100755)


@case(None)
def healthy_utf8_name(wheel):
    wheel.add("pkg/größe.txt".encode())


@case(None)
def healthy_comment(wheel):
    wheel.comment = b"made by hand"


@case(None)
def healthy_many_members(wheel):
    for i in range(65000):
        wheel.add(b"pkg/%d.txt" % i, b"", method=STORED)


@case(None)
def healthy_many_libraries(wheel):
    for i in range(2000):
        wheel.add(b"pkg/libmany%d.so" % i, elf_bytes(soname=f"libmany{i}.so"), mode=0o100755)


@case(None)
def healthy_archives_inside(wheel):
    # Archives in an archive are data, whatever they would inflate to.
    inner = Wheel("inner")
    bomb(inner)
    wheel.add(b"pkg/inner.whl", inner.bytes(), method=STORED)
    wheel.add(b"pkg/libinner.so", inner.bytes(), method=STORED)


@case(None, "", "--max-member", "1MiB", "--max-total", "2MiB", "--max-ratio", "1032")
def healthy_within_limits(wheel):
    wheel.add(b"pkg/zeros", bytes(1 << 20))


# --- the archive as a whole ---------------------------------------------------------------------


@case(MALFORMED, "is not a zip archive")
def empty_file(wheel):
    return b""


@case(MALFORMED, "is not a zip archive")
def html_page(wheel):
    return b"<!DOCTYPE html>\n<title>404 Not Found</title>\n" * 40


@case(MALFORMED, "cut short")
def truncated(wheel):
    return wheel.bytes()[:-200]


@case(MALFORMED, "is not a zip archive")
def front_is_missing(wheel):
    return wheel.bytes()[40:-60]


@case(DISAGREE, "bytes behind its end")
def trailing_data(wheel):
    wheel.behind = b"\0" * 100


@case(DISAGREE, "in front of its first member")
def prefix_data(wheel):
    wheel.front = b"#!/bin/sh\nexit 0\n"


@case(DISAGREE, "in front of its first member")
def two_archives(wheel):
    wheel.front = Wheel("two_archives").bytes()


@case(DISAGREE, "readers differ")
def two_end_records(wheel):
    wheel.comment = b"PK\5\6" + bytes(18)


@case(MALFORMED, "longer than the file")
def comment_cut_short(wheel):
    wheel.end = {"comment_length": 50}


@case(MALFORMED, "several volumes")
def several_volumes(wheel):
    wheel.end = {"disk": 1, "directory_disk": 1}


@case(MALFORMED, "begin in volume 3")
def member_in_another_volume(wheel):
    wheel.library.central = {"disk": 2}


@case(DISAGREE, "and 9 by its end record")
def count_too_high(wheel):
    wheel.end = {"count_here": 9, "count": 9}


@case(DISAGREE, "and 2 by its end record")
def count_too_low(wheel):
    wheel.end = {"count_here": 2, "count": 2}


@case(MALFORMED, "bytes in front of that")
def directory_larger_than_the_file(wheel):
    wheel.end = {"size": 0x7FFFFFFF}


@case(MALFORMED, "is not there")
def directory_outside_the_file(wheel):
    wheel.end = {"offset": 0x7FFFFFF0, "size": 5}


@case(MALFORMED, "does not reach its end")
def directory_too_small(wheel):
    wheel.end = {"size": 60}


@case(DISAGREE, "another one")
def two_directories(wheel):
    data = wheel.bytes()
    start, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    return data[:end] + data[start:end] + data[end:]


@case(MALFORMED, "no record begins")
def broken_record(wheel):
    data = bytearray(wheel.bytes())
    at = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)
    data[at] = ord("Q")
    return bytes(data)


@case(MALFORMED, "ends within record")
def record_beyond_the_directory(wheel):
    data = bytearray(wheel.bytes())
    struct.pack_into("<H", data, data.rindex(b"PK\1\2") + 28, 60000)
    return bytes(data)


@case(DISAGREE, "describe different directories")
def zip64_end_contradicts_end(wheel):
    wheel.end = {"count_here": 2, "count": 2}
    wheel.before_end = lambda start, size, count: zip64_end(start, size, count) + zip64_locator(start + size)


@case(DISAGREE, "60 bytes long instead of 44")
def zip64_end_of_odd_length(wheel):
    wheel.before_end = lambda start, size, count: zip64_end(start, size, count, 60) + zip64_locator(start + size)


@case(DISAGREE, "zip64 locator that leads to")
def zip64_locator_astray(wheel):
    wheel.before_end = lambda start, size, count: zip64_end(start, size, count) + zip64_locator(12)


@case(DISAGREE, "that belong to no member")
def hidden_member(wheel):
    hidden = Wheel("hidden_member").bytes()
    wheel.library.behind = hidden[: hidden.index(b"PK\3\4", 4)]


@case(LIMIT, "100000 members")
def too_many_members(wheel):
    # The same small record over and over: nobody writes that many headers by hand.
    wheel.add(b"x", b"", method=STORED)
    data = wheel.bytes()
    start, end = data.index(b"PK\1\2"), data.rindex(b"PK\5\6")
    at = data.rindex(b"PK\1\2", start, data.rindex(b"PK\1\2", start, end))
    record = data[at : at + 47]
    count = 120000
    directory = data[start:end] + record * count
    wheel_end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, len(directory), start, 0)
    return data[:start] + directory + wheel_end


@case(LIMIT, "10001 shared libraries")
def too_many_libraries(wheel):
    for i in range(10000):
        wheel.add(b"pkg/libmany%d.so" % i, b"no library", method=STORED)


@case(LIMIT, "members and directories together")
def folders_too_deep(wheel):
    for i in range(100):
        wheel.add(b"%d/" % i + b"x/" * 2000 + b"f", b"", method=STORED, listed=False)


# --- one record of the directory ----------------------------------------------------------------


@case(MALFORMED, "version 9.9")
def version_of_the_future(wheel):
    wheel.library.both = {"version": 99}


@case(MALFORMED, "runs over the end")
def extra_field_too_long(wheel):
    wheel.library.central = {"extra": struct.pack("<HH", 0x5455, 400) + b"few"}


@case(DISAGREE, "where 8 belong")
def zip64_extra_of_odd_length(wheel):
    size = len(wheel.library.data)
    wheel.library.central = {"size": ALL_ONES, "extra": extra_field(1, struct.pack("<QI", size, 1))}


@case(DISAGREE, "where 0 belong")
def zip64_extra_unasked(wheel):
    wheel.library.central = {"extra": extra_field(1, struct.pack("<QQ", 1 << 20, 1 << 20))}


@case(DISAGREE, "and has none")
def zip64_extra_absent(wheel):
    wheel.library.central = {"size": ALL_ONES, "compressed": ALL_ONES}


@case(MALFORMED, "two zip64")
def zip64_extra_twice(wheel):
    size = len(wheel.library.data)
    twice = extra_field(1, struct.pack("<Q", size)) + extra_field(1, struct.pack("<Q", size - 1))
    wheel.library.central = {"size": ALL_ONES, "extra": twice}


@case(DISAGREE, "by an extra field")
def another_name_in_an_extra_field(wheel):
    crc = struct.pack("<BI", 1, zlib.crc32(wheel.library.name))
    wheel.library.central = {"extra": extra_field(0x7075, crc + b"pkg/libother.so")}


@case(MALFORMED, "not in front of the directory")
def member_outside(wheel):
    wheel.library.central = {"offset": 0x7FFFFFF0}


@case(UNSAFE, "runs into")
def member_into_the_next(wheel):
    wheel.library.both = {"compressed": len(wheel.library.stored_bytes()) + 100}


@case(UNSAFE, "runs into")
def member_into_the_directory(wheel):
    member = wheel.add(b"pkg/last", method=STORED)
    member.central = {"compressed": 100000, "size": 100000}


@case(UNSAFE, "runs into")
def overlapping_bomb(wheel):
    # A thousand names for one local header: what is read once would be inflated a thousand times.
    zeros = wheel.add(b"pkg/libzeros.so", bytes(1 << 20))
    wheel.members.remove(zeros)
    wheel.members.insert(0, zeros)
    same = {"offset": 0, "compressed": len(zeros.stored_bytes()), "size": 1 << 20}
    for i in range(1000):
        wheel.add(b"pkg/libzeros%d.so" % i, b"", central=same, listed=False)


@case(MALFORMED, "outside and")
def stored_of_two_sizes(wheel):
    wheel.library.method = STORED
    wheel.library.both = {"size": len(wheel.library.data) + 7}


@case(UNSAFE, "1032:1")
def impossible_ratio(wheel):
    wheel.library.both = {"size": 0x7FFFFFFF}


def compressed_zeros(mebibytes):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = compressor.compress(bytes(1 << 20)) + compressor.flush(zlib.Z_FULL_FLUSH)
    return piece * mebibytes + deflate(b"")


@case(UNSAFE, "inflates from")
def bomb(wheel):
    wheel.library.name = b"pkg/libbomb.so"
    wheel.library.listed = False
    wheel.library.compressed = compressed_zeros(1100)
    wheel.library.both = {"size": 1100 << 20, "crc": NO_CRC}


@case(UNSAFE, "inflates from")
def bomb_of_10_gigabytes(wheel):
    wheel.library.name = b"pkg/libbomb.so"
    wheel.library.listed = False
    wheel.library.compressed = compressed_zeros(10 << 10)
    sizes = struct.pack("<QQ", 10 << 30, len(wheel.library.compressed))
    wheel.library.both = {"size": ALL_ONES, "compressed": ALL_ONES, "extra": extra_field(1, sizes), "crc": NO_CRC}


@case(UNSAFE, "inflates from")
def bomb_in_pieces(wheel):
    # Each is small enough; all together they are not.
    zeros = compressed_zeros(900)
    for i in range(6):
        wheel.add(b"pkg/libbomb%d.so" % i, b"", compressed=zeros, both={"size": 900 << 20}, listed=False)


@case(LIMIT, "--max-member")
def larger_than_the_limit(wheel):
    # Never so much in the file: an honest size of 20 GiB at a possible ratio would take 200 MB.
    size = 20 << 30
    wheel.library.method = STORED
    sizes = extra_field(1, struct.pack("<QQ", size, size))
    wheel.library.both = {"size": ALL_ONES, "compressed": ALL_ONES, "extra": sizes}


@case(LIMIT, "--max-member is 65536", "--max-member", "64KiB")
def larger_than_asked_for(wheel):
    wheel.add(b"pkg/noise", bytes(range(256)) * 257, method=STORED)


@case(LIMIT, "65536 bytes of --max-total", "--max-total", "64KiB")
def together_larger_than_asked_for(wheel):
    for i in range(3):
        wheel.add(b"pkg/noise%d" % i, bytes(range(256)) * 100, method=STORED)


@case(LIMIT, "--max-ratio is 5", "--max-ratio", "5")
def inflates_more_than_asked_for(wheel):
    wheel.add(b"pkg/zeros", bytes(1000))


@case(LIMIT, "METADATA has 104857600 bytes")
def huge_metadata(wheel):
    # METADATA is read as a whole.
    wheel.members[2].data = bytes(100 << 20)


@case(LIMIT, "inflated more than 4 times")
def names_far_apart(wheel):
    # Each name of a needed library lies 8 MiB and more from the one before, in a table of zeros.
    count, size = 20000, 300 << 20
    library = bytearray(elf_bytes(needed=[str(i) for i in range(count)]))
    dynamic = library.index(struct.pack("<qQ", DT_NEEDED, 1))
    for i in range(count):
        struct.pack_into("<qQ", library, dynamic + 16 * i, DT_NEEDED, (1 + i * 13 % 36 << 23) + i)
    strings_size = library.rindex(struct.pack("<q", DT_STRSZ))
    struct.pack_into("<Q", library, strings_size + 8, size - (1 << 20))
    struct.pack_into("<QQ", library, 64 + 32, size, size)  # the sizes of the first segment
    library += bytes((1 << 20) - len(library))
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    wheel.library.compressed = (
        compressor.compress(library) + compressor.flush(zlib.Z_FULL_FLUSH) + compressed_zeros((size >> 20) - 1)
    )
    wheel.library.both = {"size": size, "crc": NO_CRC}
    wheel.library.listed = False


@case(LIMIT, "method 14")
def lzma_member(wheel):
    wheel.library.both = {"method": 14}


@case(UNSAFE, "encrypted")
def encrypted(wheel):
    wheel.library.both = {"flags": 1}


@case(UNSAFE, "symbolic link")
def symlink(wheel):
    wheel.add(b"pkg/libc.so.6", b"/etc/passwd", method=STORED, mode=0o120777)


@case(UNSAFE, "FIFO")
def fifo(wheel):
    wheel.add(b"pkg/pipe", b"", method=STORED, mode=0o010644)


@case(MALFORMED, "bytes of data")
def folder_with_data(wheel):
    wheel.add(b"pkg/sub/", b"not empty", method=STORED, mode=0o040755)


@case(DISAGREE, "a directory by its mode")
def folder_without_a_slash(wheel):
    wheel.add(b"pkg/sub", b"", method=STORED, mode=0o040755)


# --- names --------------------------------------------------------------------------------------


@case(MALFORMED, "has no name")
def empty_name(wheel):
    wheel.add(b"", listed=False)


@case(UNSAFE, "NUL")
def nul_in_a_name(wheel):
    wheel.add(b"pkg/harmless.txt\0.so", listed=False)


@case(UNSAFE, "control character")
def escape_code_in_a_name(wheel):
    wheel.add(b"pkg/\x1b]0;owned\x07\x1b[2J.so")


@case(UNSAFE, "absolute name")
def absolute_name(wheel):
    wheel.add(b"/etc/ld.so.preload")


@case(UNSAFE, "leads out")
def parent_folder(wheel):
    wheel.add(b"../../../bin/sh")


@case(UNSAFE, "leads out")
def parent_folder_with_backslashes(wheel):
    wheel.add(b"pkg\\..\\..\\python3.dll")


@case(UNSAFE, "drive letter")
def drive_letter(wheel):
    wheel.add(b"C:/Windows/System32/nvcuda.dll")


@case(DISAGREE, "backslash")
def backslash(wheel):
    wheel.add(b"pkg\\libother.so")


@case(DISAGREE, "UTF-8, which it is not")
def broken_utf8(wheel):
    wheel.add(b"pkg/\xff\xfe.so", both={"flags": UTF8_FLAG})


@case(DISAGREE, "code page 437")
def unmarked_encoding(wheel):
    wheel.add(b"pkg/gr\xc3\xb6\xc3\x9fe.txt", both={"flags": 0})


@case(MALFORMED, "over 255 bytes")
def long_part_of_a_name(wheel):
    wheel.add(b"pkg/" + b"n" * 300 + b".so")


@case(MALFORMED, "60000 bytes")
def long_name(wheel):
    wheel.add((b"n" * 99 + b"/") * 599 + b"n" * 100)


@case(DISAGREE, "the name of an earlier member")
def duplicate_name(wheel):
    wheel.members.insert(0, type(wheel.library)(wheel.library.name, b"something else\n", listed=False))


@case(DISAGREE, "the same file as")
def duplicate_with_an_empty_part(wheel):
    wheel.add(b"pkg//libtiny.so")


@case(DISAGREE, "the same file as")
def duplicate_with_a_dot(wheel):
    wheel.add(b"./pkg/libtiny.so")


@case(DISAGREE, "upper and lower case")
def duplicate_ignoring_case(wheel):
    wheel.add(b"pkg/LibTiny.so")


@case(DISAGREE, "and the directory of")
def file_and_folder(wheel):
    wheel.add(b"pkg/libtiny.so/inside.txt")


# --- local headers against the directory --------------------------------------------------------


@case(MALFORMED, "no local header")
def no_local_header(wheel):
    data = bytearray(wheel.bytes())
    at = data.index(b"PK\3\4", 4)
    data[at : at + 4] = b"PKPK"
    return bytes(data)


@case(DISAGREE, "by its local header")
def local_name_differs(wheel):
    wheel.library.local = {"name": b"pkg/libevil.so"}


@case(DISAGREE, "method 0 for its local header")
def local_method_differs(wheel):
    wheel.library.local = {"method": STORED}


@case(DISAGREE, "for its local header")
def local_sizes_differ(wheel):
    wheel.library.local = {"size": 5}


@case(DISAGREE, "another checksum")
def local_checksum_differs(wheel):
    wheel.library.local = {"crc": NO_CRC}


@case(DISAGREE, "in its local header")
def local_flags_differ(wheel):
    wheel.library.local = {"flags": UTF8_FLAG}


@case(DISAGREE, "8 bytes in its local header")
def local_zip64_extra_of_odd_length(wheel):
    wheel.library.local = {"extra": extra_field(1, bytes(8))}


@case(DISAGREE, "no data descriptor that agrees")
def data_descriptor_lies(wheel):
    size = len(wheel.library.data)
    wheel.library.both = {"flags": DESCRIPTOR_FLAG}
    wheel.library.behind = data_descriptor(zlib.crc32(wheel.library.data), 17, size)


@case(DISAGREE, "no data descriptor that agrees")
def data_descriptor_absent(wheel):
    wheel.library.both = {"flags": DESCRIPTOR_FLAG}


# --- the compressed bytes -----------------------------------------------------------------------


@case(MALFORMED, "libtiny.so")
def deflate_stream_broken(wheel):
    wheel.library.compressed = b"\x07" + deflate(wheel.library.data)[1:]


@case(MALFORMED, "libtiny.so")
def deflate_stream_cut_short(wheel):
    wheel.library.compressed = deflate(wheel.library.data)[:-20]


@case(MALFORMED, "libtiny.so")
def inflates_to_more(wheel):
    wheel.library.compressed = deflate(wheel.library.data + bytes(50 << 20))


@case(MALFORMED, "libtiny.so")
def inflates_to_less(wheel):
    wheel.library.both = {"size": len(wheel.library.data) + 100}


@case(MALFORMED, "libtiny.so")
def checksum_wrong(wheel):
    wheel.library.both = {"crc": NO_CRC}


@case(MALFORMED, "libtiny.so")
def checksum_of_a_stored_member_wrong(wheel):
    wheel.library.method = STORED
    wheel.library.both = {"crc": NO_CRC}


@case(MALFORMED, "METADATA cannot be unpacked")
def checksum_of_metadata_wrong(wheel):
    wheel.members[2].both = {"crc": NO_CRC}


@case(MALFORMED, "libother.so cannot be unpacked")
def damaged_beside_a_healthy_library(wheel):
    data = elf_bytes(soname="libother.so")
    wheel.add(b"pkg/libother.so", data, compressed=b"\x07" + deflate(data)[1:])


# --- the wheel ----------------------------------------------------------------------------------


@case(DISAGREE, "by its METADATA")
def endless_name(wheel):
    wheel.members[2].data = b"Name: " + b"n" * 5000000 + b"\nVersion: " + b"1" * 5000000 + b"\n"


@case(DISAGREE, "other installers do not")
def data_folder_of_another_package(wheel):
    wheel.add(b"other-2.0.data/platlib/pkg/libother.so")


@case(DISAGREE, "that an installer knows")
def unknown_part_of_the_data_folder(wheel):
    wheel.add(b"unknown_part_of_the_data_folder-1.0.data/system/libother.so")


@case(DISAGREE, "in the same place as")
def two_members_for_one_place(wheel):
    wheel.add(b"two_members_for_one_place-1.0.data/platlib/pkg/libtiny.so")


@case(DISAGREE, ".dist-info directories")
def two_dist_info_folders(wheel):
    wheel.add(b"other-2.0.dist-info/METADATA", b"Name: other\nVersion: 2.0\n")


@case(RECORD, "not listed in RECORD")
def record_lacks_a_member(wheel):
    wheel.add(b"pkg/libother.so", listed=False)


@case(RECORD, "and does not hold it")
def record_lists_what_is_not_there(wheel):
    rows = [record_row(member) for member in wheel.members]
    wheel.record_rows = [*rows, ("pkg/libmissing.so", *rows[0][1:])]


@case(RECORD, "bytes by RECORD")
def record_gives_another_size(wheel):
    wheel.record_rows = [(path, digest, size + 1) for path, digest, size in map(record_row, wheel.members)]


@case(RECORD, "twice in RECORD")
def record_lists_a_member_twice(wheel):
    rows = [record_row(member) for member in wheel.members]
    wheel.record_rows = [*rows, (rows[0][0], "sha256=" + "A" * 43, rows[0][2])]


def archive(case):
    """The file name and the bytes of a case."""
    wheel = Wheel(case.name)
    result = case.spoil(wheel)
    return wheel.file_name(), wheel.bytes() if result is None else result


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__.strip())
    folder, names = sys.argv[1], sys.argv[2:]
    unknown = set(names) - {case.name for case in CASES}
    if unknown:
        sys.exit(f"no such case: {', '.join(sorted(unknown))}")
    os.makedirs(folder, exist_ok=True)
    for case in CASES:
        if not names or case.name in names:
            name, data = archive(case)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)


if __name__ == "__main__":
    main()
