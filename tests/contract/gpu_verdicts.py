#!/usr/bin/env python3
"""The table docs/gpu-verdicts.md: frameworks on machines with and without a driver, and with GPUs too old and too new.

    gpu_verdicts.py CUDALD [--update] [FRAMEWORK...]

Real environments (../python/environments) are put into a root of their own, which has nothing of CUDA beside them, and
each is judged for five machines, with and without --require-gpu. What cudald answers must be what the table says;
--update writes it. Output is TAP.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "python"))
sys.path.insert(0, os.path.join(HERE, "..", "stories"))

from real_import import CannotAsk, Environment  # noqa: E402
from staging import Stage, scratch_folder  # noqa: E402
from tap import Tap  # noqa: E402

TABLE = Path(HERE) / ".." / ".." / "docs" / "gpu-verdicts.md"
NEW = ["--driver", "580.65.06"]
MACHINES = {
    "no driver": [],
    "`--driver 450.51`": ["--driver", "450.51"],
    "`--driver 580.65.06`": NEW,
    "the same, `--gpu sm_35`": [*NEW, "--gpu", "sm_35"],
    "the same, `--gpu sm_130`": [*NEW, "--gpu", "sm_130"],
}
# The environment of each, which is called like it or not; what pip does not bring along is given to it in a second row.
FRAMEWORKS = {
    "torch": "torch",
    "tensorflow": "tensorflow",
    "tensorflow+": "tensorflow",
    "jax": "jax-cuda",
    "jax+": "jax-cuda",
    "onnxruntime": "onnxruntime",
    "onnxruntime+": "onnxruntime",
    "cupy": "cupy",
    "ctranslate2": "ctranslate2",
    "ctranslate2+": "ctranslate2",
}
# Whose libraries of CUDA 12 and cuDNN 9 the others are given.
GIVER = "torch"
PREFIX = "/opt/ml"


def known_environments():
    folder = Path(HERE) / ".." / "python" / "environments"
    return {path.stem: path for path in folder.glob("*.txt")}


def staged(cudald, scratch, environment):
    """A root with the environment's packages in it."""
    stage = Stage(cudald, scratch)
    stage.conda(PREFIX, python="3.11")
    site = environment.folder / "lib" / "python3.11" / "site-packages"
    os.rmdir(stage.path(stage.site))
    subprocess.run(["cp", "-al", str(site), stage.path(stage.site)], check=True)
    return stage


def give_libraries(stage, giver):
    """NVIDIA's libraries beside the framework, and the option that lets the loader look there."""
    site = giver.folder / "lib" / "python3.11" / "site-packages" / "nvidia"
    there = Path(stage.path(f"{stage.site}/nvidia/x")).parent
    for package in sorted(site.iterdir()):
        if package.is_dir() and not (there / package.name).exists():
            subprocess.run(["cp", "-al", str(package), str(there / package.name)], check=True)
    folders = ":".join(f"{stage.site}/nvidia/{folder.parent.name}/lib" for folder in sorted(there.glob("*/lib")))
    return ["--env", f"LD_LIBRARY_PATH={folders}"]


def answer(stage, module, words):
    place = ["--sysroot", stage.root, "--prefix", PREFIX]
    done = subprocess.run([stage.cudald, "check", "-f", "json", "--symbols", "none", *place, f"py:{module}", *words],
                          capture_output=True, text=True, check=False)
    if not done.stdout:
        raise CannotAsk(f"{module} {' '.join(words)}: exit status {done.returncode}: {done.stderr[:300]}")
    report = json.loads(done.stdout)
    worst = report["findings"][0]["message"] if report["findings"] else "nothing to tell"
    return report["verdict"].replace("cpu-only", "cpu only").upper(), done.returncode, worst


def row_of(stage, module, given):
    """The cells of a framework's row: verdicts and exit statuses, and the sentences that say why."""
    cells, sentences = [], []
    for name, machine in MACHINES.items():
        words = [*machine, *given]
        verdict, status, worst = answer(stage, module, words)
        required, required_status, _ = answer(stage, module, [*words, "--require-gpu"])
        cells.append(f"{verdict}, {status}; {required}, {required_status}")
        sentences.append(f"{name}: {worst}")
    return cells, sentences


def written_rows():
    """The table as it stands in the docs: the framework and its cells."""
    rows = {}
    for line in TABLE.read_text(encoding="utf-8").split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0].split(" ")[0] in FRAMEWORKS:
            rows[cells[0].split(" ")[0]] = cells
    return rows


def version_of(environment, module):
    names = {"onnxruntime": "onnxruntime-gpu", "cupy": "cupy-cuda12x"}
    for line in environment.requirements.read_text(encoding="utf-8").split("\n"):
        if line.startswith(names.get(module, module) + "=="):
            return line.split("==")[1].split(" ")[0]
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("frameworks", nargs="*", metavar="FRAMEWORK")
    options = parser.parse_intermixed_args()
    tap = Tap()
    if sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64":
        tap.skip("verdicts for GPUs", "not run: the wheels are for CPython 3.11 on x86-64")
        return tap.finish()
    rows = written_rows()
    with scratch_folder() as scratch:
        for framework in options.frameworks or FRAMEWORKS:
            module = framework.rstrip("+")
            environment, giver = (Environment(known_environments()[name]) for name in (FRAMEWORKS[framework], GIVER))
            try:
                environment.install()
                giver.install()
                stage = staged(options.cudald, scratch, environment)
                given = give_libraries(stage, giver) if framework.endswith("+") else []
                cells, sentences = row_of(stage, module, given)
            except (CannotAsk, OSError, subprocess.CalledProcessError) as fault:
                tap.ok(False, framework, [str(fault)])
                continue
            more = ", with CUDA 12 and cuDNN 9" if given else ""
            made = [f"{framework} ({version_of(environment, module)}{more})", *cells]
            if options.update:
                text = TABLE.read_text(encoding="utf-8")
                row = "| " + " | ".join(made) + " |"
                text = re.sub(rf"^\| {re.escape(framework)} .*$", row, text, flags=re.MULTILINE)
                TABLE.write_text(text, encoding="utf-8")
            tap.ok(options.update or made == rows[framework], f"{framework}: as docs/gpu-verdicts.md says",
                   [f"written: {rows[framework]}", f"answered: {made}"])
            for sentence in sentences:
                tap.comment(sentence)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
