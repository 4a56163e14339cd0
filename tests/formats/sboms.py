#!/usr/bin/env python3
"""SBOMs of real wheels: those that their makers put in (PEP 770), and those that cudald writes of them.

    sboms.py CUDALD [--full] [--only GLOB] [--offline]

Each is given to the validator of cyclonedx-python-lib. In cudald's own, every CUDA runtime, cuBLAS and cuDNN of the
wheel must stand with its version: that of its package, and, where the library is in an environment of the cache, what
it says itself when it is asked (cudaRuntimeGetVersion, cublasGetProperty, cudnnGetVersion). What a maker's SBOM lacks
of them must be told (CUD509). A runtime that is linked into a library counts for cudald's own alone. --full takes all
wheels in the cache that have any of it, those of tests/python/environments among them; the sample are a few pinned
ones. Without cache and network it is a skip. Output is TAP.
"""

import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "common"), os.path.join(HERE, "..", "python")]

from pinned import CACHE, WHEELS, fetch_wheels, pinned_names  # noqa: E402
from script_arguments import script_arguments  # noqa: E402
from tap import Tap  # noqa: E402
from tools import python_with_tools  # noqa: E402

SAMPLE = {
    "pins-contract.txt": ["nvidia_cuda_runtime_cu12-12.9.79-*", "nvidia_cuda_runtime-13.0.96-*", "pillow-*",
                          "faiss_cpu-*"],
    "pins-contract-held.txt": ["numba-*x86_64*", "psycopg2_binary-*x86_64*"],
    "pins.txt": ["ctranslate2-*"],
}
LIBRARY = re.compile(r"(?:lib)?(cudart|cublasLt|cublas|cudnn)(?:_\w+?)?(?:64_\d+|-[0-9a-f]{8})?\.(?:so[.\d]*|dll)")
ASK = """
import ctypes, sys
kind, library = sys.argv[1], ctypes.CDLL(sys.argv[2])
if kind == "cudart":
    value = ctypes.c_int()
    assert library.cudaRuntimeGetVersion(ctypes.byref(value)) == 0
    print(f"{value.value // 1000}.{value.value % 1000 // 10}")
elif kind == "cublas":
    parts = [ctypes.c_int() for _ in range(3)]
    assert all(library.cublasGetProperty(i, ctypes.byref(part)) == 0 for i, part in enumerate(parts))
    print(".".join(str(part.value) for part in parts))
elif kind == "cudnn":
    library.cudnnGetVersion.restype = ctypes.c_size_t
    value = library.cudnnGetVersion()
    base = 10000 if value >= 90000 else 1000
    print(f"{value // base}.{value % base // 100}.{value % 100}")
"""


def wheels_in_cache():
    """Path of each wheel, and the environment that it is installed in, or None."""
    found = {}
    for folder in sorted(Path(CACHE, "environments").glob("*/wheels")):
        if (folder.parent / "installed").exists():
            for wheel in sorted(folder.glob("*.whl")):
                found.setdefault(wheel.name, (wheel, folder.parent))
    for wheel in sorted(Path(WHEELS).glob("*.whl")):
        found.setdefault(wheel.name, (wheel, None))
    return list(found.values())


def carried(names):
    """Of a wheel's members, those whose names are those of the libraries, with their kinds."""
    return {name: found[1] for name in names if (found := LIBRARY.fullmatch(os.path.basename(name)))}


def validate(python, documents):
    """By the tool of others: what is wrong with each, or None."""
    script = ("import json,sys\n"
              "from cyclonedx.schema import SchemaVersion\n"
              "from cyclonedx.validation.json import JsonStrictValidator\n"
              "for path in sys.argv[1:]:\n"
              "    text = open(path, encoding='utf-8').read()\n"
              "    version = SchemaVersion.from_version(json.loads(text)['specVersion'])\n"
              "    fault = JsonStrictValidator(version).validate_str(text)\n"
              "    print(json.dumps([version.to_version(), None if fault is None else str(fault)[:300]]))\n")
    done = subprocess.run([python, "-c", script, *documents], check=False, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines if len(lines) == len(documents) else [[None, done.stderr[-300:]]] * len(documents)


def what_it_says(kind, path, environment):
    done = subprocess.run([environment / "bin" / "python", "-c", ASK, kind, path], check=False, capture_output=True,
                          text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def is_prefix(short, long):
    return (long + ".").startswith(short + ".")


class Judge:
    def __init__(self, tap, cudald, python, folder):
        self.tap, self.cudald, self.python, self.folder = tap, cudald, python, Path(folder)
        self.asked = self.made = 0

    def run(self, wheel, environment):
        with zipfile.ZipFile(wheel) as archive:
            names = archive.namelist()
            embedded = []
            for name in names:
                if ".dist-info/sboms/" in name and name.endswith(".json"):
                    path = self.folder / f"embedded-{len(embedded)}.json"
                    path.write_bytes(archive.read(name))
                    embedded.append((name, path))
        libraries = carried(names)
        if not libraries and not embedded:
            return
        self.made += 1
        own, judged = self.folder / "own.json", self.folder / "judged.json"
        done = subprocess.run([self.cudald, "check", "--fail-on", "never", "-o", f"cyclonedx={own}", "-o",
                               f"json={judged}", wheel], check=False, capture_output=True, text=True)
        if not self.tap.ok(own.exists() and judged.exists(), f"{wheel.name}: an answer", [done.stderr]):
            return
        faults = validate(self.python, [own, *(path for _, path in embedded)])
        self.tap.ok(faults[0] == ["1.6", None], f"{wheel.name}: valid CycloneDX 1.6", [faults[0]])
        for (name, _), fault in zip(embedded, faults[1:]):
            self.tap.ok(fault[1] is None, f"{wheel.name}: {os.path.basename(name)} is valid CycloneDX {fault[0]}",
                        [fault])
        self.compare(wheel, libraries, json.loads(own.read_text()), environment)
        self.compare_embedded(wheel, json.loads(own.read_text()), embedded, json.loads(judged.read_text()))

    def compare(self, wheel, libraries, own, environment):
        """Each library of the wheel stands in it, with its version."""
        project, version = wheel.name.split("-")[:2]
        for member, kind in libraries.items():
            told = [component for component in own["components"]
                    for place in component.get("evidence", {}).get("occurrences", [])
                    if place["location"].endswith("/" + member.split(".data/purelib/")[-1])]
            if not self.tap.ok(len(told) == 1, f"{wheel.name}: {member} stands once in it", [told]):
                continue
            said = told[0].get("version", "")
            if project.startswith("nvidia_"):
                whole = kind != "cudnn" or told[0]["name"] == "cudnn" or said == version
                self.tap.ok(said == version if whole else is_prefix(said, version),
                            f"{member}: {told[0]['name']} {said}, as its package", [told[0]])
            place = environment and environment / "lib" / "python3.11" / "site-packages" / member
            is_asked = told[0]["name"] in ("cudart", "cublas", "cudnn") and member.startswith("nvidia/")
            answer = what_it_says(kind, place, environment) if is_asked and place and place.exists() else None
            if answer is not None:
                self.asked += 1
                self.tap.ok(is_prefix(answer, said), f"{member}: it says {answer} itself", [said])

    def compare_embedded(self, wheel, own, embedded, judged):
        """CUD509 stands where a maker's SBOM is silent of a library of CUDA, and nowhere else."""
        findings = [finding for report in judged.get("reports", [judged]) for finding in report["findings"]]
        told = any(finding["code"] == "CUD509" for finding in findings)
        if not embedded:
            self.tap.ok(not told, f"{wheel.name}: no SBOM, so none is incomplete", findings)
            return
        text = " ".join(path.read_text(encoding="utf-8").lower() for _, path in embedded)
        kinds = {component["name"].split("_")[0] for component in own["components"]
                 if "publisher" in component and not component["name"].endswith("_static")}
        silent = sorted(kind for kind in kinds if kind.lower() not in text)
        self.tap.ok(told == bool(silent), f"{wheel.name}: its SBOM is silent of {silent or 'nothing'}, which is "
                    f"{'told' if told else 'not told'}", findings)


def main():
    options = script_arguments(__doc__, "--full", "all wheels in the cache", "only these wheels")
    tap = Tap()
    python, why = python_with_tools()
    if python is None:
        tap.skip("SBOMs", why)
        return tap.finish()
    if options.full:
        wheels = wheels_in_cache()
    else:
        wheels = []
        for pins, globs in SAMPLE.items():
            why = fetch_wheels(globs, options.offline, pins) or why
            wheels += [(Path(WHEELS, name), None) for name in pinned_names(globs, pins)]
        wheels = [] if why else wheels
    wheels = [(path, environment) for path, environment in wheels if fnmatch.fnmatchcase(path.name, options.only)]
    if not wheels:
        tap.skip("SBOMs", why or "no wheel is in the cache")
        return tap.finish()
    with tempfile.TemporaryDirectory(prefix="cudald-sboms-") as folder:
        judge = Judge(tap, options.cudald, python, folder)
        for wheel, environment in wheels:
            for old in Path(folder).iterdir():
                old.unlink()
            judge.run(wheel, environment)
        tap.comment(f"{judge.made} wheels; {judge.asked} libraries were asked themselves")
        if options.full and options.only == "*":
            tap.ok(judge.made >= 20 and judge.asked > 0, f"{judge.made} wheels, as many as are wanted")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
