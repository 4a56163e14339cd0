#!/usr/bin/env python3
"""Variant wheels (PEP 817, draft) made of a real wheel: true claims of CUDA and GPUs are told apart from false ones.

    variants.py CUDALD

CTranslate2's wheel has CUDA 12.8's runtime linked in, machine code for sm_53 to sm_86 and PTX for sm_86, as cuobjdump
says; each claim is put into a copy of it, as variant.json. Without cache and network it is a skip. Output is TAP.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from tap import Tap  # noqa: E402

WHEEL = ["ctranslate2-4.8.5-*"]
# What is claimed, and whether it is so.
CLAIMS = [
    ({"sm_arch": ["53_real", "80_real", "86_real"]}, True),
    ({"sm_arch": ["86_virtual"]}, True),
    ({"sm_arch": ["80_real", "90_real"]}, False),
    ({"sm_arch": ["80_virtual"]}, False),
    ({"cuda_version_lower_bound": ["12.0"], "cuda_version_upper_bound": ["13"]}, True),
    ({"cuda_version_lower_bound": ["11.8"]}, False),
    ({"cuda_version_upper_bound": ["12"]}, False),
    ({"cuda_version_upper_bound": ["11.8"]}, False),
]


def main():
    tap = Tap()
    why = fetch_wheels(WHEEL)
    if why is not None:
        tap.skip("variants of a real wheel", why)
        return tap.finish()
    wheel = Path(WHEELS, pinned_names(WHEEL)[0])
    with tempfile.TemporaryDirectory(prefix="cudald-variants-") as folder:
        made = Path(folder, wheel.name.replace(".whl", "-cu128.whl"))
        for claims, is_true in CLAIMS:
            shutil.copy(wheel, made)
            with zipfile.ZipFile(made, "a") as archive:
                archive.writestr("ctranslate2-4.8.5.dist-info/variant.json",
                                 json.dumps({"variants": {"cu128": {"nvidia": claims}}}))
            done = subprocess.run([sys.argv[1], "check", "--no-cache", "--fail-on", "never", "-f", "json", made],
                                  check=False, capture_output=True, text=True)
            findings = json.loads(done.stdout)["findings"] if done.stdout else [{"code": done.stderr}]
            told = [finding["message"] for finding in findings if finding["code"] == "CUD508"]
            tap.ok(bool(done.stdout) and bool(told) != is_true, f"{claims}: {'so' if is_true else 'not so'}",
                   told or [done.stderr])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
