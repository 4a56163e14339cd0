"""Which packages of Debian carry libraries of CUDA, and zlib for some of them, for tools/refresh-knowledge --debian."""

import gzip
import lzma
import re
import subprocess

SUITES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
COMPONENTS = ("main", "contrib", "non-free")
SEARCHED = r"(usr/)?lib/x86_64-linux-gnu(/nvidia/current)?"  # by the loader; by it once ldconfig knows
OF_CUDA = re.compile(r"lib(cu(da|dart|blas(Lt)?|fftw?|rand|solver(Mg)?|sparse|dnn[a-z_]*|pti|file[a-z_]*|inj64)"
                     r"|nvrtc(-builtins)?|nvJitLink|nvjpeg|nvblas|nvToolsExt|npp[a-z]+|nccl|nvidia-ml|nvvm|accinj64)"
                     r"\.so\.\d+(\.\d+)?")
# What NVIDIA's own libraries need besides, of the C library's kind.
OF_OTHERS = ("libz.so.1",)


def fetch(url):
    return subprocess.run(["curl", "-fsS", "-m", "120", url], check=True, stdout=subprocess.PIPE).stdout


def versions(place):
    """package -> version"""
    text = lzma.decompress(fetch(f"{place}/binary-amd64/Packages.xz")).decode()
    return dict(re.findall(r"^Package: (\S+)$(?:\n(?!$).*)*?\nVersion: (\S+)$", text, re.MULTILINE))


def rows(mirror):
    """A row for each library and package that has it, of the suites above."""
    found = []
    for suite, system in SUITES.items():
        for component in COMPONENTS:
            place = f"{mirror.rstrip('/')}/dists/{suite}/{component}"
            contents = gzip.decompress(fetch(f"{place}/Contents-amd64.gz")).decode()
            packages = versions(place)
            for line in contents.splitlines():
                path, _, owners = line.rpartition(" ")
                folder, _, name = path.strip().rpartition("/")
                if not (OF_CUDA.fullmatch(name) or name in OF_OTHERS) or not re.fullmatch(SEARCHED, folder):
                    continue
                for package in sorted(owner.rpartition("/")[2] for owner in owners.split(",")):
                    found.append({"library": name, "command": f"apt install {package}",
                                  "version": packages.get(package), "system": f"{system} ({component})",
                                  "folder": f"/{folder}"})
    return sorted(found, key=lambda row: (row["library"], row["system"], row["command"]))
