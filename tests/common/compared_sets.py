"""What tools/compare-answers asks two builds of cudald about. Each set yields Questions, or Reasons why a part of it is
not compared; questions of one group are asked one after the other."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
for folder in ("scenario", "differential"):
    sys.path.insert(0, str(TESTS / folder))

import fixture  # noqa: E402
import expectations  # noqa: E402
import real_glibc  # noqa: E402
import real_musl  # noqa: E402
import simulated  # noqa: E402
from pinned import WHEELS, fetch_wheels, pinned_names  # noqa: E402
from system_files import DIRECTORIES, regular_files  # noqa: E402

CLEAN = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
ELF = b"\x7fELF"
LOADABLE = (2, 3)  # ET_EXEC, ET_DYN
SCRIPTS = [
    "stories/linux.py", "stories/windows_tensorflow.py", "windows/run.py", "windows/constants.py",
    "scenario/constants.py", "conda/run.py", "stories/linux_real.py", "stories/real_conda.py", "stories/real_cudnn.py",
    "stories/real_runtimes.py", "stories/real_spacy.py",
]
# 190 MB in all: of every kind of platform tag, with CUDA and without, for Linux, musl and Windows.
LINUX_WHEELS = [
    "MarkupSafe-*", "PyYAML-6.0.1-*", "lxml-4.9.1-*", "psycopg2_binary-2.9.9-*", "cryptography-45*", "pillow-*",
    "pydantic_core-*", "numpy-1.26.4-*", "nvidia_cuda_runtime_cu12-12.8.90-*", "nvidia_cufile_cu12-*",
    "bitsandbytes-*", "ctranslate2-*", "torchvision-*",
]
WINDOWS_WHEELS = ["PyYAML-*", "cffi-*", "lxml-*", "psutil-*", "nvidia_cuda_runtime_cu12-*"]


@dataclass
class Question:
    words: list
    options: dict = field(default_factory=dict)  # of subprocess
    stdin: bytes = b""


@dataclass
class Reason:
    """Why something is not compared."""
    what: str
    why: str


def views(target, *options, json_alone=False):
    """All that is cheap to ask about a file."""
    yield ["explain", "-f", "json", "--symbols", "all", *options, target]
    if json_alone:
        return
    yield ["explain", "-v", *options, target]
    yield ["explain", *options, target]
    yield ["check", *options, target]
    yield ["tree", *options, target]
    yield ["show", "-f", "json", target]
    yield ["show", "-v", target]


class Fixtures:
    """Every fixture, built once."""

    def groups(self, settings):
        stubs = settings.work / "stubs"
        stubs.mkdir()
        for libc in (real_glibc, real_musl):
            sources = sorted((fixture.FIXTURES / libc.NAME).glob("*.sh"))
            sources = [source for source in sources if settings.wants(source.stem)]
            if libc.lacking():
                yield Reason(f"{len(sources)} fixtures of {libc.NAME}", f"{libc.lacking()} is not installed")
                continue
            for source in sources:
                work = settings.work / libc.NAME / source.stem
                yield lambda source=source, libc=libc, work=work: self.questions(source, libc, work, stubs)

    @staticmethod
    def questions(source, libc, work, stubs):
        try:
            plan = fixture.build(source, libc, work, stubs)
            asked = simulated.words(plan, libc, expectations.bound(plan))
        except (fixture.Skipped, fixture.Broken) as why:
            return [Reason(f"{libc.NAME}/{source.stem}", str(why).splitlines()[0])]
        process = simulated.process(plan)
        text = [word for word in asked if word not in ("--format", "json", "--bindings")]
        start = [word for word in text[2:] if word not in ("--symbols", "all")]
        questions = [asked, text + ["-v"], text, ["check", plan.target, *start], ["tree", plan.target, *start],
                     ["show", "-f", "json", plan.target], ["show", "-v", plan.target]]
        return [Question(words, process) for words in questions]


class System:
    """Programs and libraries of this system, always the same ones for one seed."""

    def groups(self, settings):
        files = [path for path in regular_files(DIRECTORIES, set()) if settings.wants(path) and loadable(path)]
        drawn = sorted(files, key=lambda path: hashlib.sha256(os.fsencode(f"{settings.seed}{path}")).digest())
        chosen = drawn[:settings.count]
        if lacking := settings.count - len(chosen):
            yield Reason(f"{lacking} of {settings.count} system files", "there are no more of them here")
        if not chosen:
            return
        names = os.fsencode("\n".join(chosen) + "\n")
        everything = [["explain", "--separately", "-f", "ndjson", "--symbols", "none", "-"],
                      ["check", "--separately", "-"]]
        yield lambda: [Question(words, {"cwd": "/", "env": CLEAN}, names) for words in everything]
        for path in chosen:
            yield lambda path=path: [Question(words, {"cwd": "/", "env": CLEAN})
                                     for words in views(path, json_alone=settings.json_alone)]


def loadable(path):
    try:
        with open(path, "rb") as file:
            start = file.read(18)
    except OSError:
        return False
    order = "big" if start[5:6] == b"\2" else "little"
    return start[:4] == ELF and int.from_bytes(start[16:18], order) in LOADABLE and "\n" not in path


class Wheels:
    """Wheels of tools/pins*.txt, fetched into the cache."""

    def groups(self, settings):
        names = []
        for pins, globs in (("pins.txt", LINUX_WHEELS), ("pins-windows.txt", WINDOWS_WHEELS)):
            for name in pinned_names(globs, pins):
                if settings.wants(name):
                    if why := fetch_wheels([name], pins=pins):
                        yield Reason(name, why)
                    else:
                        names.append(name)
        for name, other in zip(names, names[1:] + names[:1]):
            yield lambda name=name, other=other: self.questions(name, other, settings.json_alone)

    @staticmethod
    def questions(name, other, json_alone):
        questions = [*views(name, json_alone=json_alone), ["diff", "-f", "json", name, other]]
        questions += [] if json_alone else [["diff", name, other]]
        return [Question(words, {"cwd": WHEELS, "env": CLEAN}) for words in questions]


class Imports:
    """Every module that the packages of an environment install."""

    def groups(self, settings):
        if not settings.prefix:
            yield Reason("imports", "no environment is named (--prefix)")
            return
        modules = {name for record in Path(settings.prefix).glob("lib/python3*/site-packages/*.dist-info/RECORD")
                   for name in top_modules(record) if settings.wants(name)}
        for name in sorted(modules):
            asked = ["--prefix", settings.prefix, name]
            words = [["explain", "-f", "json", *asked]] + ([] if settings.json_alone else [["explain", "-v", *asked]])
            yield lambda words=words: [Question(each, {"cwd": "/", "env": CLEAN}) for each in words]


def top_modules(record):
    """The packages and modules that a RECORD puts on top of site-packages."""
    for line in record.read_text(encoding="utf-8").splitlines():
        first, _, rest = line.split(",")[0].partition("/")
        if first.isidentifier() and rest == "__init__.py":
            yield first
        elif not rest and first.endswith(".py") and first[:-3].isidentifier():
            yield first[:-3]


class Machine:
    """What is asked of a machine, of a name or of cudald itself."""

    WORDS = [
        ["env"], ["env", "-f", "json"], ["env", "--print", "ld-library-path"],
        ["env", "-f", "json", "--gpu", "sm_90", "--driver", "535.104"],
        *(["provides", *form, name] for form in ([], ["-f", "json"])
          for name in ("libcudart.so.11.0", "libcudnn.so.8", "cudnn64_8.dll", "libz.so.1")),
        ["explain", "--error", "libcudart.so.12: cannot open shared object file: No such file or directory"],
        ["rule"], ["schema", "report"], ["schema", "wheel"], ["help"],
    ]

    def groups(self, settings):
        for words in self.WORDS:
            if settings.wants(" ".join(words)):
                yield lambda words=words: [Question(words, {"cwd": "/", "env": CLEAN})]


class Stories:
    """Test scripts that stage what users ask. A program that asks both builds and notes what they say stands in for
    cudald."""

    def groups(self, settings):
        for script in SCRIPTS:
            if settings.wants(script):
                yield lambda script=script: self.questions(script, settings)

    @staticmethod
    def questions(script, settings):
        folder = Path(tempfile.mkdtemp(prefix=Path(script).stem + "-", dir=settings.work))
        programs = {"run": settings.programs, "shown": settings.shown, "all_views": script.startswith("stories/")}
        (folder / "programs.json").write_text(json.dumps(programs), encoding="utf-8")
        relay = folder / "cudald"
        both = TESTS / "common" / "ask_both.py"
        relay.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{both}" "{folder}" "$@"\n', encoding="utf-8")
        relay.chmod(0o755)
        scratch = folder / "scratch"
        scratch.mkdir()
        # The real loader of Windows is not asked again: without wineboot the scripts take it that there is no wine.
        (folder / "wineboot").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
        (folder / "wineboot").chmod(0o755)
        variables = {"CUDALD_OFFLINE": "1", "TMPDIR": str(scratch), "PATH": f"{folder}:{os.environ['PATH']}"}
        done = subprocess.run([sys.executable, str(TESTS / script), str(relay)], check=False, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              env={**os.environ, **variables})
        shutil.rmtree(scratch, ignore_errors=True)
        return list(noted(script, folder / "noted.ndjson", done))


def noted(script, path, done):
    """The records of ask_both.py, as dicts; and what the script left out."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    for record in records:
        if "left_out" in record:
            yield Reason(f"{script}: {' '.join(record['words'])}", record["left_out"])
        else:
            yield record
    told = [line for line in done.stdout.splitlines() if "# SKIP" in line or line.startswith(("Bail out!", "not ok"))]
    if not records:
        yield Reason(script, told[0] if told else f"asked nothing, exit status {done.returncode}: {done.stdout[-200:]}")
    elif done.returncode != 0:
        last = (told or done.stdout.splitlines()[-1:] or [""])[0]
        yield Reason(f"a part of {script}", f"exit status {done.returncode}: {last}")


SETS = {"machine": Machine(), "fixtures": Fixtures(), "system": System(), "wheels": Wheels(), "imports": Imports(),
        "stories": Stories()}
