#!/usr/bin/env python3
"""Every command of README and docs runs, in a folder where the files are that its page names; what a page shows is what
its commands print. Writes TAP.

    snippets.py CUDALD [--only PAGE]

A command of cudald is right if it judges: its exit status is 0 or 1, or 3 with the verdict UNKNOWN. Programs of others
(pip, docker, sbatch, parallel, aws, pipx, auditwheel, ray) are played by a few lines each, which do what this use of
them does. Directories such as /mirror lie below the folder. What a page shows is compared without
regard to line ends, as the folder's own path is longer; a line "..." in it stands for lines left out.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from documents import documents, snippets  # noqa: E402
from pinned import PROJECT, WHEELS, fetch_wheels  # noqa: E402
from tap import Tap  # noqa: E402
from world import make_world  # noqa: E402

# Commands that other tests run, or that are no commands: (page, how it begins) -> reason.
ELSEWHERE = {
    ("README.md", "tools/"): "continuous integration is these two commands",
    ("README.md", "$ cudald"): "tools/check-readme",
    ("docs/tutorial.md", ""): "tests/docs/run.py",
    ("docs/api.md", "g++ "): "tests/install/run.py",
    ("docs/development/", ""): "for those who change cudald: continuous integration, tests/install",
    ("docs/probe.md", "cudald probe TARGET"): "a synopsis",
    ("docs/probe.md", "cudald explain --verify TARGET"): "a synopsis",
    ("docs/survey.md", ""): "tests/scan/survey.py",
    ("docs/scan.md", "pip install duckdb"): "tests/scan/questions.py",
    ("README.md", "cudald explain --online"): "tests/cli/index.py",
    ("docs/howto-not-found.md", "cudald explain --online"): "tests/cli/index.py",
}
RUNTIME = "nvidia_cuda_runtime_cu12-12.4.127-py3-none-manylinux2014_x86_64.whl"
STARTS = re.compile(r"(\$ |cudald |pip |docker |mkdir |sbatch |parallel |aws |tools/|g\+\+ )")
PLACES = re.compile(r"(?<![\w./$-])/(mirror|shared|containers|mnt)\b")
STATES = ("run1", "shared/run1")
MESSAGE = "ImportError: libcudart.so.12: cannot open shared object file: No such file or directory\n"
OF_THIS_MACHINE = re.compile(r"; only [\w.]+ is installed, which has a\s+different ABI")


def in_lines(text):
    """The commands of a block: a line each, without prompt, comment and continuation. Where there are prompts, the
    other lines are what is printed."""
    prompt = "$ " if text.startswith("$ ") else ""
    for line in text.replace("\\\n", " ").split("\n"):
        command = re.sub(r"(^|\s+)#\s.*$", "", line.removeprefix(prompt)).strip()
        if command and line.startswith(prompt):
            yield command


def shown(language, text):
    """What a block says that commands print."""
    if language != "" or text.startswith('{"schema"'):
        return ""
    if text.startswith("$ "):
        return re.sub(r"^\$ .*\n", "", text, flags=re.MULTILINE)
    return "" if commands(language, text) else text


def in_yaml(text):
    """What a job of continuous integration runs, or the container of a job of Kubernetes."""
    script = False
    for line in text.split("\n"):
        run = re.match(r" *- run: (.*)", line)
        container = re.match(r" *command: \[sh, -c, '(.*)'\]", line)
        if run or container:
            yield (run or container)[1]
        elif re.match(r" *(- )?script:( \|)?$", line):
            script = True
        elif script and re.match(r" +(- )?(pip|cudald) ", line):
            yield line.strip().removeprefix("- ")
        else:
            script = False


def commands(language, text):
    """The commands of a block of code, as a shell takes them."""
    if language == "yaml":
        return list(in_yaml(text))
    if language == "groovy":
        return re.findall(r"sh '(.*?)'", text)
    if language == "toml":
        found = re.findall(r'^repair-wheel-command = "(.*)"$', text, re.MULTILINE)
        return [line.format(dest_dir="repaired", wheel="dist/*.whl") for line in found]
    if language in ("", "console") and STARTS.match(text):
        return list(in_lines(text))
    return []


def real_runtime(folder):
    """NVIDIA's libcudart.so.12 of CUDA 12.4, whose release drivers are too old for."""
    with zipfile.ZipFile(os.path.join(WHEELS, RUNTIME)) as wheel:
        wheel.extract("nvidia/cuda_runtime/lib/libcudart.so.12", folder)
    return folder / "nvidia" / "cuda_runtime" / "lib" / "libcudart.so.12"


class Page:
    """A page's commands, run one after the other in a folder of their own."""

    def __init__(self, name, text, folder):
        self.name, self.text, self.folder = name, text, folder
        self.printed = ""
        self.wrong = []
        self.ran = 0
        self.environment = {
            "PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": f"{folder}/home", "LC_ALL": "C.UTF-8",
            "PYTHONPATH": f"{folder}/python", "GITHUB_STEP_SUMMARY": f"{folder}/summary.md", "CUDALD_CACHE": "off",
            "VIRTUAL_ENV": f"{folder}/.venv",
        }

    def elsewhere(self, text):
        return any(self.name.startswith(page) and text.startswith(begin) for page, begin in ELSEWHERE)

    def run(self, words, line, **more):
        done = subprocess.run(words, cwd=self.folder, env={**self.environment, **more}, capture_output=True, text=True,
                              timeout=120, check=False, input=MESSAGE)
        self.ran += 1
        printed = (done.stdout + done.stderr).replace(str(self.folder), "/opt/app")
        self.printed += OF_THIS_MACHINE.sub("", printed) + "\n"
        answered = done.returncode in (0, 1) or done.returncode == 3 and "UNKNOWN  " in done.stdout
        if "cudald" in line and not answered or "cudald: " in done.stderr or "Traceback" in done.stderr:
            self.wrong += [f"{line}: exit status {done.returncode}", *(done.stderr or done.stdout).splitlines()[-6:]]

    def shell(self, line):
        if self.elsewhere(line):
            return
        there = PLACES.sub(rf"{self.folder}/\1", line).replace("$(Build.ArtifactStagingDirectory)", str(self.folder))
        states = [self.folder / state for state in STATES]
        if " scan " in line:
            for state in states:
                shutil.rmtree(state, ignore_errors=True)
        counts = [{}]
        if "CUDALD_SHARDS" in self.text and "exit $s" in line:  # the job of Kubernetes: its pods
            counts = [{"CUDALD_SHARDS": "20", "JOB_COMPLETION_INDEX": str(index)} for index in range(20)]
        for count in counts:
            self.run(["bash", "-o", "pipefail", "-c", there], line, **count)
        for state in states:
            if " scan " in line and state.exists():
                merged = subprocess.run([self.folder / "bin" / "cudald", "merge", state], env=self.environment,
                                        capture_output=True, text=True, check=False)
                if merged.returncode != 0:
                    self.wrong += [f"{line}: the scan is not whole", merged.stderr]

    def python(self, text):
        self.run([sys.executable, "-c", PLACES.sub(rf"{self.folder}/\1", text)], text.split("\n", 1)[0])

    def read(self):
        blocks = list(snippets(self.text))
        for language, block in blocks:
            if block.startswith('{"schema"'):
                (self.folder / "ours.json").write_text(block)
        for language, block in blocks:
            if language == "python":
                self.python(block)
            for line in [] if self.elsewhere(block) else commands(language, block):
                self.shell(line)
        printed = " ".join(self.printed.split())
        for language, block in blocks:
            pieces = [" ".join(piece.split()) for piece in re.split(r"(?m)^\.\.\.$", shown(language, block))]
            if not self.elsewhere(block) and any(piece not in printed for piece in pieces):
                self.wrong += ["shown, but not printed:", *block.splitlines(), "printed:", *self.printed.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("cudald")
    parser.add_argument("--only", default="")
    words = parser.parse_args()
    tap = Tap()
    missing = fetch_wheels([RUNTIME]) if shutil.which("gcc") else "gcc is not installed"
    if missing:
        tap.skip("the commands of the documentation", missing)
        return tap.finish()
    with tempfile.TemporaryDirectory(prefix="cudald-docs-") as name:
        world = Path(name, "world")
        make_world(world, os.path.abspath(words.cudald), real_runtime(Path(name)))
        shutil.rmtree(Path(name, "nvidia"))
        ran = 0
        for path in documents():
            page = str(path.relative_to(PROJECT))
            if words.only not in page:
                continue
            folder = Path(name, "page")
            shutil.copytree(world, folder, symlinks=True)
            here = Page(page, path.read_text(), folder)
            here.read()
            if here.ran or here.wrong:
                tap.ok(not here.wrong, f"{here.ran} commands of {page} run and print what it shows", here.wrong)
            ran += here.ran
            shutil.rmtree(folder)
        tap.ok(words.only or ran >= 75, "the pages have commands", [str(ran)])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
