#!/usr/bin/env python3
"""Compares what cudald reads from PE files with what LIEF 1.0 and pefile read.

    pe_files.py CUDALD [FILE...]
    pe_files.py CUDALD --wheels

Without FILE: small files built with MinGW. With --wheels: every .dll, .pyd and .exe in the Windows wheels of
tools/pins-windows.txt, which are fetched into the cache, and of which each file is unpacked by itself. The two readers
are installed once, into a virtual environment in ${XDG_CACHE_HOME:-~/.cache}/cudald. Output is TAP.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

import pe_samples  # noqa: E402
from cudald import CLEAN_ENV  # noqa: E402
from tap import Tap, first  # noqa: E402

READERS = ["lief==1.0.0", "pefile==2024.8.26"]
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "cudald")
MACHINES = {0x14C: "i386", 0x8664: "x86_64", 0xAA64: "aarch64"}
SUBSYSTEMS = {1: "native", 2: "windows", 3: "console"}


class NoReaders(Exception):
    """Why LIEF and pefile cannot be had."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument("--wheels", action="store_true")
    options = parser.parse_args()
    cudald = os.path.abspath(options.cudald)

    tap = Tap()
    try:
        python = readers()
    except NoReaders as problem:
        tap.skip("PE files are compared", str(problem))
        return tap.finish()
    with tempfile.TemporaryDirectory() as folder:
        if options.wheels:
            compare_wheels(tap, cudald, python, folder)
        elif options.files:
            for path in options.files:
                compare(tap, cudald, python, path, path)
        else:
            compare_samples(tap, cudald, python, folder)
    return tap.finish()


def readers():
    """The Python that has LIEF and pefile."""
    folder = os.path.join(CACHE, "pe-readers")
    python = os.path.join(folder, "bin", "python")
    done = os.path.join(folder, ".installed")
    if os.path.exists(done):
        with open(done, encoding="utf-8") as file:
            if file.read().split() == READERS:
                return python
    for command in ([sys.executable, "-m", "venv", "--clear", "--without-pip", folder],
                    [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-compile", *READERS]):
        tried = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if tried.returncode != 0:
            words = (tried.stdout.decode(errors="replace").strip().splitlines() or ["no word why"])[-1]
            raise NoReaders(f"{' and '.join(READERS)} cannot be installed: {words}")
    with open(done, "w", encoding="utf-8") as file:
        file.write("\n".join(READERS))
    return python


def compare_samples(tap, cudald, python, folder):
    for prefix in pe_samples.COMPILERS:
        if not shutil.which(f"{prefix}-gcc"):
            tap.skip(f"files built by {prefix}-gcc", "it is not installed")
            continue
        os.mkdir(os.path.join(folder, prefix))
        for path in pe_samples.build(os.path.join(folder, prefix), prefix):
            shown = compare(tap, cudald, python, path, os.path.relpath(path, folder))
            check_sample(tap, shown, os.path.relpath(path, folder))


def check_sample(tap, shown, name):
    """What the sample was made for is there at all."""
    kinds = {(dll["name"], dll["kind"]) for dll in shown["needed"]}
    if name.endswith("base.dll"):
        wanted = {("KERNEL32.dll", "forwarder")}
    else:
        wanted = {("base.dll", "import"), ("base.dll", "delay-import")}
        manifests = [(m["id"], [a["name"] for a in m["dependencies"]]) for m in shown["pe"]["manifests"]]
        tap.ok(
            manifests == [(1 if name.endswith(".exe") else 2, ["Microsoft.VC90.CRT"])],
            f"{name}: the manifest's dependency",
            [repr(manifests)],
        )
        versions = shown["pe"]["file_version"], shown["pe"]["product_version"]
        tap.ok(versions == ("6.14.11.12080", "12.8.0.0"), f"{name}: the version resource", [repr(versions)])
    tap.ok(wanted <= kinds, f"{name}: {sorted(kind for _, kind in wanted)}", [repr(sorted(kinds))])


def compare_wheels(tap, cudald, python, folder):
    wheels = os.path.join(CACHE, "wheels")
    pins = os.path.join(PROJECT, "tools", "pins-windows.txt")
    fetch = [os.path.join(PROJECT, "tools", "fetch-pypi"), "--pins", pins, "--into", wheels]
    fetched = subprocess.run(fetch, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if fetched.returncode != 0:
        tap.skip("Windows wheels", f"they cannot be fetched: {fetched.stdout.decode(errors='replace')[-300:]}")
        return
    with open(pins, encoding="utf-8") as file:
        names = [line.split()[1] for line in file if line.strip() and not line.startswith("#")]
    count = 0
    for name in names:
        with zipfile.ZipFile(os.path.join(wheels, name)) as wheel:
            for member in wheel.namelist():
                if member.endswith((".dll", ".pyd", ".exe")):
                    path = os.path.join(folder, "file" + member[-4:])
                    with wheel.open(member) as source, open(path, "wb") as target:
                        shutil.copyfileobj(source, target, 1 << 20)
                    compare(tap, cudald, python, path, f"{name}!/{member}")
                    os.remove(path)
                    count += 1
    tap.ok(count > 0, f"{count} files of {len(names)} wheels are compared")


def compare(tap, cudald, python, path, name):
    """One file; returns what cudald says of it."""
    asked = subprocess.run([cudald, "show", "-f", "json", path], check=True, stdout=subprocess.PIPE, env=CLEAN_ENV)
    shown = json.loads(asked.stdout)
    reference = os.path.join(HERE, "pe_reference.py")
    answer = json.loads(subprocess.run([python, reference, path], check=True, stdout=subprocess.PIPE).stdout)
    faults = [f"defect: {defect['message']}" for defect in shown["defects"]]
    for reader in ("lief", "pefile"):
        faults += [f"{reader} {fault}" for fault in differences(shown, answer[reader])]
    functions = sum(len(dll.get("functions", [])) for dll in shown["needed"])
    exports = len(shown["pe"]["exports"])
    tap.ok(not faults, f"{name}: {len(shown['needed'])} DLLs, {functions} functions, {exports} exports", first(faults))
    return shown


def differences(shown, read):
    if read is None:
        yield "cannot read it"
        return
    pe = shown["pe"]
    ours = {
        "machine": shown["machine"],
        "subsystem": pe["subsystem"],
        "image_base": pe["image_base"],
        "name": shown["soname"] or "",
        "imports": dlls(shown, "import"),
        "delay_imports": dlls(shown, "delay-import"),
        "exports": sorted([e["name"] or "", e["ordinal"], e.get("forwarder", "")] for e in pe["exports"]),
        "sections": [[s["address"], s["memory_size"], s["offset"], s["file_size"]] for s in pe["sections"]],
        "file_version": pe["file_version"],
        "managed": pe["managed"],
    }
    read["machine"] = MACHINES.get(read["machine"], read["machine"])
    read["subsystem"] = SUBSYSTEMS.get(read["subsystem"], read["subsystem"])
    read["exports"].sort()
    for fact, value in ours.items():
        if fact in read and read[fact] != value:
            yield f"{fact}: {difference(read[fact], value)}"


def dlls(shown, kind):
    return [
        [dll["name"], [[f.get("name"), f.get("ordinal")] for f in dll["functions"]]]
        for dll in shown["needed"]
        if dll["kind"] == kind
    ]


def difference(theirs, ours):
    """The first item that differs, where both are lists."""
    if isinstance(theirs, list):
        for i, (a, b) in enumerate(zip(theirs, ours)):
            if a != b:
                return f"item {i}: {difference(a, b)}"
        return f"{len(theirs)} items, cudald {len(ours)}"
    return f"{theirs!r}, cudald {ours!r}"


if __name__ == "__main__":
    sys.exit(main())
