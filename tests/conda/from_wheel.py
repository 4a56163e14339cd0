#!/usr/bin/env python3
"""Puts a wheel's libraries into conda packages of both formats, to measure with: NAME-VERSION-0.conda and .tar.bz2.

    from_wheel.py WHEEL FOLDER [--level N]

The libraries lie in lib/, as conda's own packages of the same software have them. Members are copied through;
the tar is written to FOLDER first, as large as it is.
"""

import argparse
import os
import subprocess
import tarfile
import zipfile

from make_packages import add, index, info_tar, zstd


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel")
    parser.add_argument("folder")
    parser.add_argument("--level", type=int, default=7, help="of zstd; conda's own packages have 19")
    options = parser.parse_args()
    name, version = os.path.basename(options.wheel).split("-")[:2]
    base = os.path.join(options.folder, f"{name}-{version}-0")
    text = index(name, version, "0")

    with zipfile.ZipFile(options.wheel) as wheel, tarfile.open(f"{base}.tar", "w") as tar:
        add(tar, "info/index.json", text.encode())
        for member in wheel.infolist():
            if ".so" not in os.path.basename(member.filename):
                continue
            info = tarfile.TarInfo("lib/" + os.path.basename(member.filename))
            info.size, info.mode = member.file_size, 0o755
            with wheel.open(member) as data:
                tar.addfile(info, data)
    subprocess.run(["bzip2", "--keep", "--force", f"{base}.tar"], check=True)
    # That info/ is in this tar as well does no harm: conda installs nothing of it.
    subprocess.run(["zstd", "-q", "-f", f"-{options.level}", "-T0", f"{base}.tar"], check=True)
    with zipfile.ZipFile(f"{base}.conda", "w", zipfile.ZIP_STORED) as package:
        package.writestr("metadata.json", '{"conda_pkg_format_version": 2}')
        package.write(f"{base}.tar.zst", f"pkg-{name}-{version}-0.tar.zst")
        package.writestr(f"info-{name}-{version}-0.tar.zst", zstd(info_tar(text)))
    os.remove(f"{base}.tar")
    os.remove(f"{base}.tar.zst")


if __name__ == "__main__":
    main()
