#!/usr/bin/env python3
"""Compares the names of libraries that `cudald show` finds among the constants of files with what readelf and a regular
expression find there, and looks for noise among them.

    constants.py CUDALD [--sample N] [FILE...]

Without FILE: the shared libraries and programs of this system, the largest ones always. Output is TAP.
"""

import argparse
import hashlib
import json
import mmap
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap, first  # noqa: E402

FOLDERS = ["/usr/lib", "/usr/bin", "/usr/sbin", "/usr/libexec", "/usr/local/lib"]
LARGEST = 20
MOST_BYTES = 256 << 20
NAME = re.compile(rb"(?<=\0)((?:(?:/lib|/lib32|/lib64|/libx32|/usr|/opt|/etc|/var|/run|\$ORIGIN)/[A-Za-z0-9_.+/-]*?)?"
                  rb"lib[A-Za-z0-9_](?:[A-Za-z0-9_+-]|\.(?!\.))*?\.so(?:\.[0-9]+)*)(?=\0)")
SECTION = re.compile(r"^ *\[ *\d+\] (\S+) +(\S+) +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)")
# Texts that no program opens: placeholders of manuals and tests.
TEST_NAMES = re.compile(r"lib(foo|bar|test|example|dummy|xxx)\.so")


def readelf(option, path):
    return subprocess.run(["readelf", "-W", option, path], check=False, capture_output=True, text=True,
                          errors="replace").stdout


def expected(path):
    """The names in the file, by a way of its own; None if it cannot tell."""
    symbols = readelf("--dyn-syms", path)
    if not re.search(r" UND (dlopen|dlmopen)(@|$)", symbols, re.MULTILINE):
        return []
    dynamic = readelf("-d", path)
    known = set(re.findall(r"\((?:NEEDED|SONAME|AUXILIARY|FILTER)\) .*\[(.*)\]$", dynamic, re.MULTILINE))
    known |= set(re.findall(r'"(lib[^"]+)"',
                            subprocess.run(["objcopy", "-O", "binary", "--only-section=.note.dlopen", path,
                                            "/dev/stdout"],
                                                           check=False, capture_output=True).stdout.decode(
                                                               errors="replace")))
    names = []
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        for match in map(SECTION.match, readelf("-S", path).splitlines()):
            if not match or match[2] == "NOBITS" or not re.fullmatch(r"\.rodata(\..*)?|\.lrodata", match[1]):
                continue
            offset, size = int(match[3], 16), int(match[4], 16)
            if size > MOST_BYTES:
                return None
            for found in NAME.finditer(b"\0" + data[offset:offset + size]):
                name = found[1].decode()
                if name not in known and len(name) <= 255:
                    known.add(name)
                    names.append((name, offset + found.start(1) - 1))
    return names


def files_of_system(sample):
    found = {}
    for top in FOLDERS:
        for folder, _, names in os.walk(top):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.islink(path) or not os.path.isfile(path) or not (".so" in name or os.access(path, os.X_OK)):
                    continue
                with open(path, "rb") as file:
                    if file.read(4) == b"\x7fELF":
                        found[path] = os.path.getsize(path)
    if sample is None:
        return sorted(found)
    largest = sorted(found, key=found.get)[-LARGEST:]
    rest = sorted(set(found) - set(largest), key=lambda path: hashlib.sha256(path.encode()).digest())
    return sorted(largest + rest[:sample])


def shown(cudald, paths):
    for at in range(0, len(paths), 200):
        done = subprocess.run([cudald, "show", "-f", "ndjson", *paths[at:at + 200]], check=False, capture_output=True,
                              text=True)
        for line in done.stdout.splitlines():
            yield json.loads(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    tap = Tap()
    paths = options.files or files_of_system(options.sample)
    differences, noise, files, names = [], [], 0, 0
    for image in shown(options.cudald, paths):
        told = [(each["name"], each["offset"]) for each in image["may_open"] if "offset" in each]
        wanted = expected(image["path"])
        # What a table of knowledge says is told by that, and so is the text of which the name is made.
        by_table = [each["name"] for each in image["may_open"] if "source" in each]
        wanted = wanted and [each for each in wanted
                             if not any((name + ".").startswith(each[0] + ".") for name in by_table)]
        files += 1
        names += len(told)
        if wanted is not None and sorted(told) != sorted(wanted):
            differences.append(f"{image['path']}: only cudald {sorted(set(told) - set(wanted))}, only readelf "
                               f"{sorted(set(wanted) - set(told))}")
        noise += [f"{image['path']}: {name}" for name, _ in told if TEST_NAMES.match(os.path.basename(name))]
    tap.ok(files >= len(paths) * 0.9 and names > 0, f"{names} names in {files} of {len(paths)} files")
    tap.ok(not differences, "the same names at the same places as readelf and a regular expression find",
           first(differences))
    tap.ok(not noise, "no placeholder among them", first(noise))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
