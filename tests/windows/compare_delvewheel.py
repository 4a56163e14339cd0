#!/usr/bin/env python3
"""Holds what Windows wheels need from outside against `delvewheel show`.

    compare_delvewheel.py CUDALD [--full | --drawn] [--show]

Every DLL that files of a wheel import, now or delayed, and that the wheel does not carry is compared by name; so is
which of them are nowhere. Differences are written down, each with its reason, in delvewheel_differences.json: one that
is not, and one that is no more, fails. --show prints them. --drawn takes the 60 wheels that a seed has drawn, for
x64, x86 and ARM64, of 2018 to 2026 (tools/pins-windows-drawn.txt), and asks for the verdict as well: one that is
FAILS, RISK or UNKNOWN has to be written down with its reason, and what pefile reads of each file must be what cudald
shows. delvewheel and the wheels come from the package index, into
the cache. Output is TAP.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names, tool_folder  # noqa: E402
from tap import Tap  # noqa: E402

VERSION = "1.13.2"
PINS = "pins-windows.txt"
DRAWN = "pins-windows-drawn.txt"
SMALL = ["lxml-*", "regex-*", "kiwisolver-*", "psutil-*", "greenlet-*", "cffi-*", "PyYAML-*"]
FULL = ["tensorflow-*", "torch-*", "onnxruntime_gpu-*", "nvidia_*"]
HERE = os.path.dirname(os.path.abspath(__file__))
# What a fresh Windows lacks and a redistributable brings: cudald takes it to be there and says so (CUD115).
ADDED_LATER = "CUD115"


def of_delvewheel(folder, wheel):
    """All names, and those that it does not find, in lower case."""
    command = [sys.executable, "-m", "delvewheel", "show", "--analyze-existing", wheel]
    done = subprocess.run(command, check=False, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": folder})
    if done.returncode != 0:
        raise RuntimeError(f"delvewheel: {done.stderr.strip()[-300:]}")
    names, missing = set(), set()
    for name, error in re.findall(r"^ {4}(\S+?)(?: \((.*)\))?$", done.stdout, re.MULTILINE):
        if name == "None":
            continue
        names.add(name.lower())
        if error.startswith("Error"):
            missing.add(name.lower())
    return names, missing


def of_cudald(cudald, wheel):
    done = subprocess.run([cudald, "explain", "-f", "json", "--symbols", "none", wheel], check=False,
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"cudald: exit status {done.returncode}: {done.stderr.strip()[-300:]}")
    answer = json.loads(done.stdout)
    objects = answer["objects"]
    later = " ".join(finding["message"] for finding in answer["findings"] if finding["code"] == ADDED_LATER).lower()
    later = set(re.findall(r"[\w.-]+\.dll", later))
    names, missing = set(), set()
    for thing in objects:
        if ".whl!" not in thing["path"]:
            continue
        for edge in thing["needed"]:
            if edge["kind"] not in ("import", "delay-import"):
                continue
            name = edge["name"].lower()
            target = objects[edge["object"]] if edge["object"] is not None else None
            if target is not None and ".whl!" in target["path"]:
                continue
            names.add(name)
            if (target is None and edge["status"] in ("missing", "rejected")) or name in later:
                missing.add(name)
    return names, missing


def shown(cudald, wheel):
    """The names that `show` tells of the wheel, and those of them that a fresh Windows with Python lacks."""
    done = subprocess.run([cudald, "show", "-f", "json", wheel], check=True, capture_output=True, text=True)
    external = json.loads(done.stdout)["external"]
    return ({each["name"].lower() for each in external},
            {each["name"].lower() for each in external if each["standing"] != "promised"})


def judge(tap, cudald, wheel, known):
    """`known`: [verdict, reason] where it is not `loads`."""
    done = subprocess.run([cudald, "explain", "-f", "json", wheel], check=False, capture_output=True, text=True)
    answer = json.loads(done.stdout)
    tap.ok(answer["verdict"] == (known[0] if known else "loads"), f"{os.path.basename(wheel)}: {answer['verdict']}",
           [f"expected {known or 'loads'}", *(f"{each['code']} {each['message']}" for each in answer["findings"]
                                              if each["level"] != "note")])


def compare_files(tap, cudald, folder, wheel):
    """Of each file: the DLLs that pefile reads, now and delayed, and those that cudald shows."""
    if folder not in sys.path:
        sys.path.insert(0, folder)
    import pefile
    with zipfile.ZipFile(wheel) as files, tempfile.TemporaryDirectory() as scratch:
        names = [name for name in files.namelist() if name.lower().endswith((".dll", ".pyd", ".exe"))]
        wrong = []
        for name in names:
            place = files.extract(name, scratch)
            with pefile.PE(place, fast_load=True) as image:
                image.parse_data_directories([1, 13])
                theirs = sorted(entry.dll.decode() for table in ("IMPORT", "DELAY_IMPORT")
                                for entry in getattr(image, "DIRECTORY_ENTRY_" + table, []))
            done = subprocess.run([cudald, "show", "-f", "json", place], check=False, capture_output=True, text=True)
            ours = sorted(each["name"] for each in json.loads(done.stdout)["needed"]
                          if each["kind"] in ("import", "delay-import"))
            if ours != theirs:
                wrong.append(f"{name}: pefile {theirs}, cudald {ours}")
        tap.ok(not wrong, f"{os.path.basename(wheel)}: the imports of {len(names)} files, by pefile", wrong)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cudald")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    tap = Tap()
    globs = ["*"] if options.drawn else SMALL + (FULL if options.full else [])
    pins = DRAWN if options.drawn else PINS
    folder, problem = tool_folder("delvewheel", VERSION, "delvewheel")
    problem = problem or fetch_wheels(globs, pins=pins)
    if problem:
        tap.skip("comparison with delvewheel", problem)
        return tap.finish()
    with open(os.path.join(HERE, "delvewheel_differences.json"), encoding="utf-8") as file:
        known = json.load(file)["wheels"]
    for name in pinned_names(globs, pins):
        wheel = os.path.join(WHEELS, name)
        if options.drawn:
            judge(tap, options.cudald, wheel, known.get(name, {}).get("verdict"))
            compare_files(tap, options.cudald, folder, wheel)
        if known.get(name, {}).get("verdict", [""])[0] == "unknown":
            continue
        theirs, ours = of_delvewheel(folder, wheel), of_cudald(os.path.abspath(options.cudald), wheel)
        told, lacking = shown(os.path.abspath(options.cudald), wheel)
        apart = set(known.get(name, {}).get("not shown", {}))
        lacking |= set(known.get(name, {}).get("not told", {}))
        tap.ok(told == ours[0] - apart and ours[1] <= lacking, f"{name}: show tells the same DLLs",
               [f"show alone: {sorted(told - ours[0])}", f"explain alone: {sorted(ours[0] - told)}",
                f"not told as lacking: {sorted(ours[1] - lacking)}"])
        for what, their, our in zip(("needed", "missing"), theirs, ours):
            found = {f"+{dll}" for dll in our - their} | {f"-{dll}" for dll in their - our}
            explained = set(known.get(name, {}).get(what, {}))
            if "+*" in explained:  # whatever delvewheel leaves out
                explained = {one for one in found if one[0] == "+"} | (explained - {"+*"})
            if options.show:
                tap.comment(f"{name} {what}: {sorted(found)} of {len(their | our)}")
            details = [f"not explained: {one}" for one in sorted(found - explained)]
            details += [f"no difference any more: {one}" for one in sorted(explained - found)]
            tap.ok(found == explained and (their or our or what == "missing"), f"{name}: DLLs {what} from outside",
                   details)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
