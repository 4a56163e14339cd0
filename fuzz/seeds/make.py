#!/usr/bin/env python3
"""Makes seeds for the targets of fuzz/readers.cc: files that a compiler, an archiver or ldconfig writes.

    make.py FOLDER

FOLDER/TARGET gets small, whole files of many kinds, from which libFuzzer finds more lines than from the hand-written
ones of fuzz/corpus, and damaged copies of some; what cannot be made here is named, and left out. tools/fuzz and
tools/fuzz-coverage call it. Needs cc, tar, zstd and ldconfig.
"""

import gzip
import os
import pathlib
import struct
import sys
import tempfile

from places import ROOT
from archives import conda_packages, images, wheels  # noqa: E402
from idioms import parts  # noqa: E402
from compiled import Maker, libraries  # noqa: E402
from texts import INDEX, LOCKS, METADATA  # noqa: E402
from trees import cache_of, described, environment_trees, import_trees, machine_trees, question_trees  # noqa: E402


def rewrites(maker, files):
    """The first byte chooses the edits, the second is the length of the new names."""
    made = {}
    for name in ("full", "stripped", "separate", "old_path", "program", "small", "narrow", "arm", "stack", "large_bss"):
        if name in files:
            for choice, length in ((1, 200), (1, 0), (2, 9), (2, 60), (4 | 8, 0), (16, 0), (1 | 2 | 4 | 8 | 16, 120)):
                made[f"{name}.{choice}.{length}"] = bytes([choice, length]) + files[name]
    for kind, data in wheels(maker, files).items():
        made["wheel." + kind] = bytes([0, 0]) + data
        made["without." + kind] = bytes([32, 0]) + data
    return made


def with_damaged(files):
    """The files, and each cut short and with changed bytes, so that what readers say of damage is reached."""
    made = dict(files)
    for name, data in files.items():
        for part in (1, 2, 3):
            made[f"{name}.cut{part}"] = data[: len(data) * part // 4]
        for step in range(12):
            changed = bytearray(data)
            for at in range(step, len(data), 12 * (97 if len(data) > 4096 else 13)):
                changed[at] ^= 0xFF
            made[f"{name}.changed{step}"] = bytes(changed)
    return made


def seeds(maker):
    files = libraries(maker)
    return {
        "library": with_damaged({**files, "gpu": (ROOT / "fuzz/corpus/library/gpu").read_bytes()}),
        "wheel": with_damaged(wheels(maker, files)),
        "tar": with_damaged(images(maker, files)),
        "conda": with_damaged(conda_packages(maker, files)),
        "rewrite": rewrites(maker, files),
        "question": question_trees(maker, files),
        "machine": machine_trees(maker, files),
        "import": import_trees(files),
        "environment": environment_trees(maker, files),
        "host": {"linux": described(files), "linux.gz": gzip.compress(described(files).encode(), mtime=0)},
        "python": {
            path.stem: next(parts(path.read_text()))[2] for path in sorted((ROOT / "tests/python/idioms").glob("*.txt"))
        },
        "lock": LOCKS,
        "index": INDEX,
        "metadata": METADATA,
        "cache": {"made": cache_of(maker, files), "old": b"ld.so-1.7.0\0" + struct.pack("<I", 0)},
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        for target, made in seeds(Maker(scratch)).items():
            folder = pathlib.Path(sys.argv[1]) / target
            os.makedirs(folder, exist_ok=True)
            for name, data in made.items():
                (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


if __name__ == "__main__":
    main()
