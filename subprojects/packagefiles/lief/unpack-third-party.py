#!/usr/bin/env python3
"""Unpack the parts of LIEF's bundled libraries that its ELF and PE modules need.

    unpack-third-party.py THIRD_PARTY_DIR

Writes THIRD_PARTY_DIR/unpacked/, laid out as LIEF's #include lines want it.
"""

import os
import shutil
import sys
import zipfile

# archive, folder in it, folder to make of it
PARTS = [
    ("leaf-1.81.0-prerelease.zip", "", "include/LIEF/third-party/internal"),
    ("tcb-span-d6c6e30.zip", "", "include/LIEF/third-party/internal"),
    ("utfcpp-3.2.1.zip", "utfcpp-3.2.1/source/", "include/internal/utfcpp"),
    ("frozen-e6ddc43.zip", "frozen-master/include/frozen/", "include/frozen"),
    ("spdlog-1.9.2.zip", "spdlog-1.9.2/include/spdlog/", "include/spdlog"),
    ("mbedtls-3.2.1.zip", "mbedtls-3.2.1/include/", "mbedtls/include"),
    ("mbedtls-3.2.1.zip", "mbedtls-3.2.1/library/", "mbedtls/library"),
]


def unpack(archive, prefix, folder):
    with zipfile.ZipFile(archive) as members:
        for name in members.namelist():
            if not name.startswith(prefix) or name.endswith("/"):
                continue
            dest = os.path.join(folder, name[len(prefix):])
            os.makedirs(os.path.dirname(dest), exist_ok=True)
            with members.open(name) as source, open(dest, "wb") as file:
                shutil.copyfileobj(source, file)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    third_party = sys.argv[1]
    done = os.path.join(third_party, "unpacked")
    if os.path.isdir(done):
        return
    part = done + ".part"
    shutil.rmtree(part, ignore_errors=True)
    for archive, prefix, folder in PARTS:
        unpack(os.path.join(third_party, archive), prefix, os.path.join(part, folder))
    os.rename(part, done)


if __name__ == "__main__":
    main()
