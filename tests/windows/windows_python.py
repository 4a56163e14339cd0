"""A whole CPython for Windows with packages in it, made of what the package index has, and wine to run it."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from real_loads import exceptions  # noqa: E402
from run import Wine  # noqa: E402

PINS = "pins-windows-python.txt"
FOLDER = "cp311"  # of Python 3.11.9 in the archive
# wine 8 has no bcryptprimitives.dll, which what Rust compiles imports one function of.
PRIMITIVES = """
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
"""
MODULE = re.compile(r"([A-Za-z_]\w*)(\.py|(\.cp311-win_amd64)?\.pyd)?")


def with_wine(tap, title, tools, test, missing=lambda: None):
    """Calls test(wine, scratch) with a wine and a directory of its own. Where one of the tools is not installed, what
    `missing` fetches or builds is not there, or wine does not start, `title` is skipped. Returns the exit status."""
    absent = [name for name in ("wine", *tools) if not shutil.which(name)]
    why = f"{absent[0]} is not installed (tools/setup-debian windows)" if absent else missing()
    if not why:
        with tempfile.TemporaryDirectory() as scratch:
            scratch = os.path.realpath(scratch)
            wine = Wine(scratch)
            try:
                if wine.program:
                    test(wine, scratch)
                else:
                    why = "wine does not start here"
            finally:
                wine.stop()
    if why:
        tap.skip(title, why)
    return tap.finish()


def fetch():
    """Why the files are not there; None if they are."""
    return fetch_wheels(["*"], pins=PINS)


def wheels():
    return [name for name in pinned_names(["*"], PINS) if name.endswith(".whl")]


def make_python(folder):
    """python.exe and all that belongs to it, without packages."""
    (archive,) = [name for name in pinned_names(["*"], PINS) if name.endswith(".tar.gz")]
    with tarfile.open(os.path.join(WHEELS, archive)) as source:
        (data,) = [member for member in source.getmembers() if member.name.endswith("/data.zip")]
        with zipfile.ZipFile(source.extractfile(data)) as files:
            for name in files.namelist():
                if name.startswith(FOLDER + "/") and not name.startswith(FOLDER + "/Lib/site-packages/"):
                    unpack(files, name, os.path.join(folder, name.removeprefix(FOLDER + "/")))
    os.makedirs(os.path.join(folder, "Lib/site-packages"))


def unpack(files, name, place):
    if name.endswith("/"):
        return
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place, "wb") as out:
        out.write(files.read(name))


def install(folder, wheel):
    """As an installer puts the modules of a wheel; programs and data are left out."""
    site = os.path.join(folder, "Lib/site-packages")
    with zipfile.ZipFile(os.path.join(WHEELS, wheel)) as files:
        for name in files.namelist():
            parts = name.split("/")
            if parts[0].endswith(".data"):
                if parts[1] not in ("purelib", "platlib"):
                    continue
                parts = parts[2:]
            unpack(files, name, os.path.join(site, *parts))


def modules(folder):
    """The modules at the top of its site-packages."""
    site, found = os.path.join(folder, "Lib/site-packages"), set()
    for name in os.listdir(site):
        match = MODULE.fullmatch(name)
        if match and (match[2] or os.path.exists(os.path.join(site, name, "__init__.py"))):
            found.add(match[1])
    return sorted(found)


def add_primitives(wine, build):
    """bcryptprimitives.dll for this wine."""
    place = os.path.join(wine.environment["WINEPREFIX"], "drive_c/windows/system32/bcryptprimitives.dll")
    build.run(build.tool("gcc"), "-shared", "-o", place, build.file(".c", PRIMITIVES), "-ladvapi32")


def as_windows_10(wine):
    subprocess.run([wine.program, "reg", "add", r"HKCU\Software\Wine", "/v", "Version", "/d", "win10", "/f"],
                   env=wine.environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)


def real_import(wine, folder, module, cwd):
    """The exceptions with which an import by a real Python fails, none if it works; None if wine cannot tell, as a
    function is called that it lacks, or the process does not end."""
    variables = {name: value for name, value in wine.environment.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run([wine.program, os.path.join(folder, "python.exe"), "-c", f"import {module}"], cwd=cwd,
                              env=dict(variables, PYTHONDONTWRITEBYTECODE="1"), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180, check=False)
    except subprocess.TimeoutExpired:
        return None
    said = done.stdout.decode(errors="replace").strip()
    if "unimplemented function" in said:
        return None
    return [] if done.returncode == 0 else exceptions(said.replace("\r", "")) or [f"exit status {done.returncode}"]
