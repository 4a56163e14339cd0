#!/usr/bin/env python3
"""Whether the kernel of `cudald probe` is in what was built.

    kernel.py KERNEL.c FILE...

KERNEL.c is what tools/make-kernel has made; a FILE is a wheel, a Debian package or a program. The bytes of both fatbins
must be in it, and are taken apart: machine code for each GPU, and PTX. The layout is that of
src/binary/gpu/fatbin.cc.
"""

import io
import re
import struct
import subprocess
import sys
import tarfile
import zipfile

MAGIC = 0xBA55ED50
KINDS = {1: "PTX", 2: "machine code"}


def images_of(source):
    """{"machine_code": bytes, "ptx": bytes} of the C source; empty ones were made without nvcc."""
    with open(source, encoding="ascii") as file:
        text = file.read()
    found = re.findall(r"unsigned char (\w+)\[\] = \{([\d,]*)\};\nconst struct KernelImage \w+ = \{\w+, (\d+)\};", text)
    return {name: bytes(map(int, numbers.split(",")))[:int(size)] for name, numbers, size in found}


def contents_of(fatbin):
    """("machine code", 90) for each part."""
    magic, _, start, size = struct.unpack_from("<IHHQ", fatbin)
    if magic != MAGIC or start + size != len(fatbin):
        raise ValueError("no fatbin")
    while start < len(fatbin):
        kind, _, header, size = struct.unpack_from("<HHIQ", fatbin, start)
        (architecture,) = struct.unpack_from("<I", fatbin, start + 28)
        yield KINDS[kind], architecture
        start += header + size


def files_in(path):
    """The bytes of each file in a package, or of the file itself."""
    if path.endswith(".whl"):
        with zipfile.ZipFile(path) as wheel:
            yield from (wheel.read(name) for name in wheel.namelist())
    elif path.endswith(".deb"):
        unpacked = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
        with tarfile.open(fileobj=io.BytesIO(unpacked)) as package:
            yield from (package.extractfile(member).read() for member in package if member.isfile())
    else:
        with open(path, "rb") as file:
            yield file.read()


def main():
    source, *paths = sys.argv[1:]
    images = images_of(source)
    if set(images) != {"machine_code", "ptx"} or not all(images.values()):
        sys.exit(f"kernel: {source} has no kernel")
    status = 0
    for path in paths:
        name = path.rpartition("/")[2]
        if not any(all(image in data for image in images.values()) for data in files_in(path)):
            print(f"kernel: it is not in {name}")
            status = 1
            continue
        parts = list(contents_of(images["machine_code"]))
        codes = " ".join(f"sm_{number}" for kind, number in sorted(parts, key=lambda part: part[1])
                         if kind == "machine code")
        texts = " ".join(f"sm_{number}" for image in images.values() for kind, number in contents_of(image)
                         if kind == "PTX")
        print(f"kernel: {name} has machine code for {codes}, and PTX for {texts}")
    return status


if __name__ == "__main__":
    sys.exit(main())
