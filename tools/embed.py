#!/usr/bin/env python3
"""Turns data files into one C++ source: embed.py OUT.cc NAME=FILE... makes `std::string_view embedded_NAME()`."""
import sys


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
            with open(path, "rb") as file:
                data = file.read()
            source.write(f"\nstd::string_view embedded_{name}() {{\n  static constexpr char bytes[] =\n"
                         f"{literal(data)};\n  return {{bytes, sizeof bytes - 1}};\n}}\n")
        source.write("\n}  // namespace cudald\n")


if __name__ == "__main__":
    main()
