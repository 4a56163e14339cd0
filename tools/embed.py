#!/usr/bin/env python3
"""Turns data files into one C++ source: embed.py OUT.cc NAME=FILE... makes `std::string_view embedded_NAME()`.

NAME:table=FILE writes what a JSON file says as MessagePack (https://msgpack.org, its specification).
"""
import json
import struct
import sys


def sized(length, small, small_limit, wide):
    """The head of a value of this length: in its first byte if it is small, else with 8, 16 or 32 bits behind it."""
    if length < small_limit:
        return bytes([small | length])
    for code, limit, form in wide:
        if length < limit:
            return bytes([code]) + struct.pack(form, length)
    raise ValueError(f"too long for MessagePack: {length}")


def packed(value):
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        if 0 <= value < 128:
            return bytes([value])
        return b"\xd3" + struct.pack(">q", value) if value < 0 else b"\xcf" + struct.pack(">Q", value)
    if isinstance(value, float):
        return b"\xcb" + struct.pack(">d", value)
    if isinstance(value, str):
        text = value.encode()
        return sized(len(text), 0xa0, 32, [(0xd9, 1 << 8, ">B"), (0xda, 1 << 16, ">H"), (0xdb, 1 << 32, ">I")]) + text
    if isinstance(value, list):
        head = sized(len(value), 0x90, 16, [(0xdc, 1 << 16, ">H"), (0xdd, 1 << 32, ">I")])
        return head + b"".join(map(packed, value))
    head = sized(len(value), 0x80, 16, [(0xde, 1 << 16, ">H"), (0xdf, 1 << 32, ">I")])
    # In the order in which they are kept when they are read.
    return head + b"".join(packed(key) + packed(held)
                           for key, held in sorted(value.items(), key=lambda item: item[0].encode()))


def literal(data):
    lines = []
    for start in range(0, len(data), 64):
        part = data[start:start + 64]
        lines.append("    \"" + "".join(f"\\{byte:03o}" for byte in part) + "\"")
    return "\n".join(lines)


def main():
    out, *inputs = sys.argv[1:]
    with open(out, "w", encoding="ascii") as source:
        # Compilers are only required to take literals of 64 KiB; those that build cudald take any.
        source.write('#include "embedded.h"\n\n#pragma GCC diagnostic ignored "-Woverlength-strings"\n\n'
                     'namespace cudald {\n')
        for item in inputs:
            name, path = item.split("=", 1)
            name, _, kind = name.partition(":")
            with open(path, "rb") as file:
                data = packed(json.load(file)) if kind == "table" else file.read()
            source.write(f"\nstd::string_view embedded_{name}() {{\n  static constexpr char bytes[] =\n"
                         f"{literal(data)};\n  return {{bytes, sizeof bytes - 1}};\n}}\n")
        source.write("\n}  // namespace cudald\n")


if __name__ == "__main__":
    main()
