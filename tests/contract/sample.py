"""The wheels that were drawn by lot: which class each is of, and which are known to lack something."""

import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import pinned_names  # noqa: E402

REALLY_LACK = os.path.join(HERE, "really-lack.txt")


def file_names(pins):
    """The wheels of all these lists, which are named as the shell names files."""
    return [name for path in pins for name in pinned_names(["*.whl"], os.path.abspath(path))]


def class_of(filename):
    platform = filename[: -len(".whl")].rpartition("-")[2]
    if platform == "win_amd64":
        return "windows"
    if "musllinux" in platform:
        return "musl"
    return "linux" if platform.endswith("_x86_64") else "aarch64"


def really_lacking(path=REALLY_LACK):
    """File name -> the verdict, and the code and subject of a finding, that it must get: so that an answer is not right
    for a wrong reason."""
    expected = {}
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            words = line.partition("#")[0].split(None, 3)
            if not words:
                continue
            if len(words) != 4 or "#" not in line:
                raise ValueError(f"{path}:{number}: want: filename verdict code subject # how it was found")
            expected[words[0]] = tuple(word.strip() for word in words[1:])
    return expected
