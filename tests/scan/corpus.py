"""Makes small wheels of both platforms, good ones and such as mean harm, the same for the same seed."""

import os
import random
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from elf_writer import elf_bytes  # noqa: E402
from pe_writer import PeFile  # noqa: E402

NEEDS = ("libc.so.6", "libm.so.6", "libcudart.so.11.0", "libcudart.so.12", "libcudnn.so.8", "libcuda.so.1",
         "libstdc++.so.6", "libnothere.so.1", "libcublas.so.12")
DLLS = (b"KERNEL32.dll", b"cudart64_12.dll", b"cudnn64_8.dll", b"VCRUNTIME140.dll", b"python311.dll", b"absent.dll")
DAY = (2026, 1, 1, 0, 0, 0)


def write_wheel(folder, name, version, tag, members, requires=()):
    path = os.path.join(folder, f"{name}-{version}-{tag}.whl")
    info = f"{name}-{version}.dist-info"
    members = {
        **members,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: {}\nVersion: {}\n{}".format(
            name, version, "".join(f"Requires-Dist: {each}\n" for each in requires)),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: made\nRoot-Is-Purelib: false\nTag: {tag}\n",
        f"{info}/RECORD": "",
    }
    with zipfile.ZipFile(path, "w") as wheel:
        for member, data in members.items():
            entry = zipfile.ZipInfo(member, DAY)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o755 << 16
            wheel.writestr(entry, data)
    return path


def linux_members(draw, name):
    members = {f"{name}/__init__.py": f"from {name} import _ext\n" if draw.random() < 0.5 else "VERSION = 1\n"}
    for number in range(draw.randint(1, 4)):
        needed = draw.sample(NEEDS, draw.randint(0, 4))
        data = elf_bytes(needed=needed, soname=f"lib{name}{number}.so" if number else None,
                         runpath=draw.choice((None, "$ORIGIN", "$ORIGIN/../lib", "/usr/local/cuda/lib64")))
        members[f"{name}/lib{name}{number}.so" if number else f"{name}/_ext.so"] = data + draw.randbytes(
            draw.choice((0, 1000, 100_000)))
    return members


def windows_members(draw, name):
    pe = PeFile()
    pe.imports([(dll, [b"f"]) for dll in draw.sample(DLLS, draw.randint(1, 4))])
    return {f"{name}/__init__.py": f"from . import _ext\n", f"{name}/_ext.pyd": pe.finish()}


def hostile(folder, draw):
    """Files that are called like wheels and are none, or only almost."""
    good = write_wheel(folder, "cut", "1.0", "cp311-cp311-linux_x86_64", linux_members(draw, "cut"))
    with open(good, "rb") as file:
        data = file.read()
    with open(good, "wb") as file:
        file.write(data[: len(data) // 2])
    for name, bytes_ in (("empty", b""), ("text", b"no archive\n" * 100), ("noise", draw.randbytes(5000)),
                         ("end", b"PK\5\6" + struct.pack("<4H2LH", 0, 0, 9999, 9999, 1 << 31, 1 << 31, 0))):
        with open(os.path.join(folder, f"{name}-1.0-py3-none-any.whl"), "wb") as file:
            file.write(bytes_)
    write_wheel(folder, "odd", "1.0", "cp311-cp311-linux_x86_64",
                {"odd/_ext.so": elf_bytes(needed=["libc.so.6"] * 500)[:-100], "../../escape.so": elf_bytes(),
                 "odd/\x1b[31m\u202e.so": elf_bytes(needed=["\x1b[2J"])})
    write_wheel(folder, "bomb", "1.0", "cp311-cp311-linux_x86_64",
                {"bomb/_ext.so": elf_bytes(needed=["libc.so.6"]) + bytes(40_000_000)})
    os.symlink("nowhere.whl", os.path.join(folder, "gone-1.0-py3-none-any.whl"))
    os.mkfifo(os.path.join(folder, "pipe-1.0-py3-none-any.whl"))


def make_corpus(folder, count=40, seed=1, mean=True):
    """Fills a folder; `mean`: also with files that mean harm. Folders within are made as a mirror would have them."""
    draw = random.Random(seed)
    for number in range(count):
        name = f"{draw.choice('abcdefgh')}{draw.choice(('kit', 'lib', 'net'))}{number}"
        below = os.path.join(folder, draw.choice(("", "linux", "windows/more")))
        os.makedirs(below, exist_ok=True)
        kind = draw.random()
        if kind < 0.6:
            tag = draw.choice(("cp311-cp311-manylinux_2_17_x86_64", "cp311-cp311-linux_x86_64",
                               "cp310-abi3-manylinux2014_x86_64", "cp311-cp311-musllinux_1_2_x86_64"))
            write_wheel(below, name, f"1.{number}", tag, linux_members(draw, name),
                        draw.sample(("nvidia-cuda-runtime-cu12", "numpy>=1.20"), draw.randint(0, 2)))
        elif kind < 0.85:
            write_wheel(below, name, f"1.{number}", "cp311-cp311-win_amd64", windows_members(draw, name))
        else:
            write_wheel(below, name, f"1.{number}", "py3-none-any", {f"{name}/__init__.py": "import os\n"})
    if mean:
        os.makedirs(os.path.join(folder, "mean"))
        hostile(os.path.join(folder, "mean"), draw)


if __name__ == "__main__":
    make_corpus(sys.argv[1], int(sys.argv[2]))
