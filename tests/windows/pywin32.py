#!/usr/bin/env python3
"""pywin32 alone, the real wheel: a line of its .pth file adds the folder of its DLLs, and MFC comes with nobody.

    pywin32.py CUDALD

What is right is read from the package (pywin32.pth imports pywin32_bootstrap, which calls os.add_dll_directory on
pywin32_system32) and from what a fresh Windows 11 with Python has: no mfc140u.dll. Output is TAP.
"""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from tap import Tap  # noqa: E402

PINS = "pins-named.txt"
OWN = ("pywintypes311.dll", "pythoncom311.dll")


def main():
    tap = Tap()
    (wheel,) = pinned_names(["pywin32-*"], PINS)
    reason = fetch_wheels([wheel], pins=PINS)
    if reason:
        tap.skip(wheel, reason)
        return tap.finish()
    done = subprocess.run([sys.argv[1], "check", "-f", "json", wheel], check=False, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, cwd=WHEELS, timeout=120)
    report = json.loads(done.stdout)
    found = [(finding["code"], finding["subject"]) for finding in report["findings"]]
    told = [" ".join(finding) for finding in found]
    tap.ok(report["verdict"] == "risk", f"{wheel}: {report['verdict']}", told)
    tap.ok(("CUD115", "mfc140u.dll") in found, "mfc140u.dll is no part of Windows", told)
    tap.ok(not any(subject in OWN for _, subject in found), "its own DLLs are found by the line of its .pth file", told)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
