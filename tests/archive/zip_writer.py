"""Writes wheels byte by byte, so that any field of any record can lie."""

import base64
import csv
import hashlib
import io
import os
import struct
import sys
import zlib
from dataclasses import dataclass, field

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from elf_writer import DT_NEEDED, DT_STRSZ, elf_bytes  # noqa: E402, F401

STORED, DEFLATED = 0, 8
ALL_ONES = 0xFFFFFFFF  # the value is in the zip64 extra field
UTF8_FLAG = 0x800
DESCRIPTOR_FLAG = 0x8


def deflate(data):
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    return compressor.compress(data) + compressor.flush()


def extra_field(number, content):
    return struct.pack("<HH", number, len(content)) + content


def data_descriptor(crc, compressed, size):
    return b"PK\7\10" + struct.pack("<III", crc, compressed, size)


@dataclass
class Member:
    """A member that is right in itself. `local` and `central` replace fields of one of its two headers, `both` of
    both: name, version, flags, method, crc, compressed, size, extra; in the directory also disk, mode, offset."""

    name: bytes
    data: bytes = b""
    method: int = DEFLATED
    mode: int = 0o100644
    compressed: bytes = None  # instead of `data`, compressed
    behind: bytes = b""  # between this member and the next
    listed: bool = True  # in RECORD
    both: dict = field(default_factory=dict)
    local: dict = field(default_factory=dict)
    central: dict = field(default_factory=dict)

    def stored_bytes(self):
        if self.compressed is not None:
            return self.compressed
        return deflate(self.data) if self.method == DEFLATED else self.data

    def fields(self, changes):
        values = {
            "name": self.name,
            "version": 20,
            "flags": 0 if self.name.isascii() else UTF8_FLAG,
            "method": self.method,
            "crc": zlib.crc32(self.data),
            "compressed": len(self.stored_bytes()),
            "size": len(self.data),
            "extra": b"",
            "disk": 0,
            "mode": self.mode,
        }
        return {**values, **self.both, **changes}


def common_fields(f):
    # The time is the first of January 1980.
    return struct.pack(
        "<HHHHHIIIHH",
        *(f["version"], f["flags"], f["method"], 0, 0x21),
        *(f["crc"], f["compressed"], f["size"], len(f["name"]), len(f["extra"])),
    )


class Wheel:
    """A healthy wheel with one small library; a case spoils it before bytes() is asked for."""

    def __init__(self, name):
        self.name = name
        self.dist_info = f"{name}-1.0.dist-info/".encode()
        self.library = Member(b"pkg/libtiny.so", elf_bytes(soname="libtiny.so"), mode=0o100755)
        self.module = Member(b"pkg/__init__.py", b"import ctypes\n", STORED)
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n\nA small wheel.\n"
        settings = "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n"
        self.members = [
            self.module,
            self.library,
            Member(self.dist_info + b"METADATA", metadata.encode()),
            Member(self.dist_info + b"WHEEL", settings.encode()),
        ]
        self.record_rows = None  # instead of those that fit
        self.front = b""  # in front of everything; no offset counts it
        self.before_end = b""  # between the directory and its end record
        self.behind = b""
        self.comment = b""
        self.end = {}  # replaces: disk, directory_disk, count_here, count, size, offset, comment_length

    def file_name(self):
        return f"{self.name}-1.0-py3-none-linux_x86_64.whl"

    def add(self, name, data=b"an additional file\n", **changes):
        member = Member(name, data, **changes)
        self.members.append(member)
        return member

    def record(self):
        rows = self.record_rows
        if rows is None:
            rows = [record_row(m) for m in self.members if m.listed and not m.name.endswith(b"/")]
        rows = [*rows, (self.dist_info.decode() + "RECORD", "", "")]
        table = io.StringIO()
        csv.writer(table, lineterminator="\n").writerows(rows)
        return Member(self.dist_info + b"RECORD", table.getvalue().encode("utf-8", "surrogateescape"))

    def bytes(self):
        out = bytearray()
        members = [*self.members, self.record()]
        offsets = []
        for member in members:
            offsets.append(len(out))
            f = member.fields(member.local)
            out += b"PK\3\4" + common_fields(f) + f["name"] + f["extra"] + member.stored_bytes() + member.behind
        directory = len(out)
        for member, offset in zip(members, offsets):
            f = member.fields(member.central)
            out += b"PK\1\2" + struct.pack("<BB", 63, 3) + common_fields(f)
            out += struct.pack("<HHHII", 0, f["disk"], 0, f["mode"] << 16, f.get("offset", offset))
            out += f["name"] + f["extra"]
        size = len(out) - directory
        before_end = self.before_end
        if callable(before_end):
            before_end = before_end(directory, size, len(members))
        out += before_end
        end = {
            **{"disk": 0, "directory_disk": 0, "count_here": len(members), "count": len(members)},
            **{"size": size, "offset": directory, "comment_length": len(self.comment)},
            **self.end,
        }
        out += b"PK\5\6" + struct.pack(
            "<HHHHIIH",
            *(end["disk"], end["directory_disk"], end["count_here"], end["count"]),
            *(end["size"], end["offset"], end["comment_length"]),
        )
        return self.front + bytes(out) + self.comment + self.behind


def record_row(member):
    digest = base64.urlsafe_b64encode(hashlib.sha256(member.data).digest()).rstrip(b"=").decode()
    return (member.name.decode("utf-8", "surrogateescape"), f"sha256={digest}", len(member.data))


def zip64_end(directory, size, count, length=44):
    return b"PK\6\6" + struct.pack("<QHHIIQQQQ", length, 45, 45, 0, 0, count, count, size, directory)


def zip64_locator(offset, disks=1):
    return b"PK\6\7" + struct.pack("<IQI", 0, offset, disks)
