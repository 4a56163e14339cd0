"""Which packages of Debian have the libraries of CUDA and of debian-libraries.txt: refresh-knowledge --debian."""

import gzip
import lzma
import os
import re
import subprocess

SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
COMPONENTS = ("main", "contrib", "non-free")
SEARCHED = r"(usr/)?lib/x86_64-linux-gnu(/nvidia/current)?"  # by the loader; by it once ldconfig knows
OF_CUDA = re.compile(r"lib(cu(da|dart|blas(Lt)?|fftw?|rand|solver(Mg)?|sparse|dnn[a-z_]*|pti|file[a-z_]*|inj64)"
                     r"|nvrtc(-builtins)?|nvJitLink|nvjpeg|nvblas|nvToolsExt|npp[a-z]+|nccl|nvidia-ml|nvvm|accinj64)"
                     r"\.so\.\d+(\.\d+)?")
LISTED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "debian-libraries.txt")


def listed_libraries():
    with open(LISTED, encoding="utf-8") as file:
        return {name for line in file if not line.startswith("#") for name in line.split()}


def fetch(url):
    return subprocess.run(["curl", "-fsS", "-m", "120", url], check=True, stdout=subprocess.PIPE).stdout


def versions(place):
    """package -> version"""
    text = lzma.decompress(fetch(f"{place}/binary-amd64/Packages.xz")).decode()
    return dict(re.findall(r"^Package: (\S+)$(?:\n(?!$).*)*?\nVersion: (\S+)$", text, re.MULTILINE))


def usual(packages):
    """Of several packages with one library the plain one: libavcodec59, not libavcodec-extra59; libomp5-19, not -13."""
    return min(sorted(packages, reverse=True), key=len)


def rows(mirror):
    """A row for each library and package that has it, of the suites above."""
    found, others = [], listed_libraries()
    for suite, system in SUITES.items():
        for component in COMPONENTS:
            place = f"{mirror.rstrip('/')}/dists/{suite}/{component}"
            contents = gzip.decompress(fetch(f"{place}/Contents-amd64.gz")).decode()
            packages = versions(place)
            for line in contents.splitlines():
                path, _, owners = line.rpartition(" ")
                folder, _, name = path.strip().rpartition("/")
                listed = name in others and component == "main"
                if not (OF_CUDA.fullmatch(name) or listed) or not re.fullmatch(SEARCHED, folder):
                    continue
                owners = [owner.rpartition("/")[2] for owner in owners.split(",")]
                for package in [usual(owners)] if listed else sorted(owners):
                    found.append({"library": name, "command": f"apt install {package}",
                                  "version": packages.get(package), "system": f"{system} ({component})",
                                  "folder": f"/{folder}"})
    # Another directory of the same name may have it from another package.
    plain = {}
    for row in found:
        if row["library"] in others:
            plain.setdefault((row["library"], row["system"]), []).append(row["command"])
    found = [row for row in found if row["library"] not in others
             or row["command"] == usual(plain[row["library"], row["system"]])]
    return sorted(found, key=lambda row: (row["library"], row["system"], row["command"]))
