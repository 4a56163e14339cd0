#!/usr/bin/env python3
"""Breaks real environments, and mends them by what cudald says.

    real_breaks.py CUDALD [--full] [--every N] [BREAK...]

An environment of popular packages is installed once, and copied for each break: a library is deleted, cut off, replaced
by another one, a package is removed, and so on. The module is then imported for real, and by cudald; what the two say
must agree. The first command that cudald offers is run for real, with packages from the index, and the import must work
after it; where no command can help, cudald must offer none. --full has the environments with CUDA. Output is TAP.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "python"))

from real_import import CannotAsk, Environment, plain_environment  # noqa: E402
from sampled import add_every, in_sample  # noqa: E402
from tap import Tap  # noqa: E402

EM_AARCH64 = 183


def replaced(path, content):
    """A new file of that name: the old one may be a link to that of other copies."""
    path.unlink()
    path.write_bytes(content)
    path.chmod(0o755)


class Copy:
    """An environment that may be broken: its files are links to those of the one that it was made from."""

    def __init__(self, original, scratch):
        self.folder = Path(scratch) / "venv"
        self.folder.mkdir()
        for name in ("bin", "lib", "pyvenv.cfg"):
            subprocess.run(["cp", "-al", str(original / name), str(self.folder / name)], check=True)
        os.symlink("lib", self.folder / "lib64")
        self.python = self.folder / "bin" / "python"
        self.site = next((self.folder / "lib").glob("python3*")) / "site-packages"

    def one(self, pattern):
        """The only file that a pattern below site-packages means."""
        found = sorted(self.site.glob(pattern))
        if len(found) != 1:
            raise CannotAsk(f"{pattern} is {len(found)} files")
        return found[0]

    def delete(self, pattern):
        self.one(pattern).unlink()

    def cut(self, pattern, size):
        path = self.one(pattern)
        replaced(path, path.read_bytes()[:size])

    def write(self, pattern, content):
        replaced(self.one(pattern), content)

    def dangle(self, pattern):
        path = self.one(pattern)
        path.unlink()
        path.symlink_to(path.name + ".moved")

    def other_machine(self, pattern):
        path = self.one(pattern)
        content = bytearray(path.read_bytes())
        content[18:20] = EM_AARCH64.to_bytes(2, "little")
        replaced(path, bytes(content))

    def swap(self, pattern, other):
        """Another library in the place of one."""
        replaced(self.one(pattern), self.one(other).read_bytes())

    def pip(self, *words):
        command = [str(self.python), "-m", "pip", "--disable-pip-version-check", "-q", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=plain_environment())
        if done.returncode != 0:
            raise CannotAsk(f"pip {' '.join(words)}: {done.stderr.strip()[-300:]}")


class Break:
    """What is done to a copy, and whether a command can mend it."""

    def __init__(self, name, module, act, mendable=True, environment="small", proof=None):
        self.name = name
        self.module = module
        self.act = act
        self.mendable = mendable
        self.environment = environment
        # What must work once it is mended, beside the import.
        self.proof = proof or f"import {module}"


BREAKS = [
    Break("a bundled library is deleted", "PIL._imaging", lambda copy: copy.delete("pillow.libs/libjpeg-*")),
    Break("a library that a bundled one needs is deleted", "numpy",
          lambda copy: copy.delete("numpy.libs/libgfortran-*")),
    Break("an extension module is deleted", "lxml.etree", lambda copy: copy.delete("lxml/etree.*.so")),
    Break("an extension module deep in a package is deleted", "numpy",
          lambda copy: copy.delete("numpy/_core/_multiarray_umath.*.so")),
    Break("a library is cut off", "PIL._imaging", lambda copy: copy.cut("pillow.libs/libjpeg-*", 100)),
    Break("a library is empty", "shapely", lambda copy: copy.cut("shapely.libs/libgeos_c-*", 0)),
    Break("an extension module is cut off in the middle", "lxml.etree", lambda copy: copy.cut("lxml/etree.*.so", 5000)),
    Break("a pointer of Git LFS is in a library's place", "PIL._imaging",
          lambda copy: copy.write("pillow.libs/libjpeg-*", b"version https://git-lfs.github.com/spec/v1\n")),
    Break("a symbolic link leads nowhere", "shapely", lambda copy: copy.dangle("shapely.libs/libgeos-*")),
    Break("a library is for another machine", "PIL._imaging",
          lambda copy: copy.other_machine("pillow.libs/libjpeg-*")),
    Break("another library is in a library's place", "shapely",
          lambda copy: copy.swap("shapely.libs/libgeos-*", "pillow.libs/libjpeg-*")),
    Break("a package that another one requires is removed", "shapely",
          lambda copy: copy.pip("uninstall", "-y", "numpy")),
    Break("a module of Python is deleted", "numpy", lambda copy: copy.delete("numpy/_core/multiarray.py")),
    Break("a wheel of NVIDIA's is removed", "torch", lambda copy: copy.pip("uninstall", "-y", "nvidia-cufile-cu12"),
          environment="torch"),
    Break("a library out of NVIDIA's wheel is deleted", "torch",
          lambda copy: copy.delete("nvidia/cuda_cupti/lib/libcupti.so.12"), environment="torch"),
    Break("an extension is for another release of its framework", "torchaudio",
          lambda copy: copy.pip("install", "--no-deps", "torchaudio==2.8.0"), environment="torch"),
    Break("a file that no package owns is for nobody to bring back", "tiny_alone",
          lambda copy: make_orphan(copy), mendable=False),
]


def make_orphan(copy):
    """An extension module that needs a library of which nothing is known."""
    source = "void *PyInit_tiny_alone(void) { return 0; }\n"
    library = copy.site / "libnobody_knows.so.7"
    for output, code, more in ((library, "int nobody;\n", ["-Wl,-soname,libnobody_knows.so.7"]),
                               (copy.site / "tiny_alone.so", source, ["-Wl,--no-as-needed", str(library)])):
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", str(output), *more],
                       input=code.encode(), check=True)
    library.unlink()


def run_python(copy, code, before=""):
    """The last line that Python prints about an error; None if it works."""
    script = f"{before}\n{copy.python} -c {subprocess.list2cmdline([code])}"
    done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, check=False,
                          env=plain_environment(), cwd=copy.folder)
    return None if done.returncode == 0 else done.stderr


def ask(cudald, copy, module):
    done = subprocess.run([cudald, "explain", "-f", "json", "--prefix", str(copy.folder), f"py:{module}"],
                          capture_output=True, text=True, check=False, env=plain_environment(), cwd=copy.folder)
    if done.returncode not in (0, 1):
        raise CannotAsk(f"cudald ends with status {done.returncode}: {done.stderr[:300]}")
    return json.loads(done.stdout)


def top_command(report):
    """What the answer puts first: the first command of the worst findings."""
    for finding in report["findings"]:
        if finding["level"] != report["findings"][0]["level"]:
            break
        for fix in finding["fixes"]:
            if fix["command"]:
                return fix["command"]
    return ""


def told_words(report):
    """What is told to be raised, without the name of the exception, which wrappers change."""
    error = report["targets"][0]["error"] or ""
    # What is raised in an except clause follows on what was to be handled, and Python prints both.
    error = error.rpartition(", raised because of ")[2]
    return error.split(": ", 1)[1] if error.startswith(("ImportError: ", "ModuleNotFoundError: ")) else error


def try_break(tap, cudald, one, original):
    with tempfile.TemporaryDirectory(dir=original.parent) as scratch:
        copy = Copy(original, scratch)
        one.act(copy)
        real = run_python(copy, one.proof)
        report = ask(cudald, copy, one.module)
        command = top_command(report)
        told = told_words(report)
        # What the kernel kills prints nothing.
        agrees = real is not None and report["verdict"] == "fails" and (told in real if told else real == "")
        tap.ok(agrees, f"{one.name}: as it fails",
               [f"really: {(real or 'it works').strip()[-600:]}", f"told: {report['verdict']}: {told}"])
        if not one.mendable:
            fixes = [fix["title"] for finding in report["findings"] for fix in finding["fixes"]]
            tap.ok("pip install" not in command, f"{one.name}: no command pretends to help", [command, *fixes])
            return
        if not tap.ok(bool(command), f"{one.name}: a command is offered", [json.dumps(report["findings"])[:1000]]):
            return
        steps = "\n".join(line.replace(" -m pip install ", " -m pip --disable-pip-version-check -q install ")
                          for line in command.split("\n"))
        after = run_python(copy, one.proof, steps)
        tap.ok(after is None, f"{one.name}: the first command mends it", [command, (after or "").strip()[-600:]])
        again = ask(cudald, copy, one.module)
        tap.ok(again["verdict"] in ("loads", "cpu-only"), f"{one.name}: cudald agrees",
               [again["verdict"], *(finding["message"] for finding in again["findings"])])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--full", action="store_true")
    add_every(parser)
    parser.add_argument("breaks", nargs="*", metavar="BREAK", help="parts of the names of breaks")
    options = parser.parse_intermixed_args()
    cudald = os.path.abspath(options.cudald)
    tap = Tap()
    if sys.version_info[:2] != (3, 11) or platform.machine() != "x86_64" or shutil.which("cc") is None:
        tap.skip("real breaks", "not run: the wheels are for CPython 3.11 on x86-64, and a C compiler is needed")
        return tap.finish()
    if "CUDALD_OFFLINE" in os.environ:
        tap.skip("real breaks", "not run: what mends them comes from the package index")
        return tap.finish()
    known = {path.stem: path for path in (Path(HERE) / ".." / "python" / "environments").glob("*.txt")}
    for one in BREAKS:
        if options.breaks and not any(part in one.name for part in options.breaks):
            continue
        if one.environment != "small" and not options.full:
            continue
        if not in_sample(one.name, options.every):
            continue
        environment = Environment(known[one.environment])
        try:
            environment.install()
            try_break(tap, cudald, one, environment.folder)
        except (CannotAsk, OSError, subprocess.CalledProcessError) as fault:
            tap.ok(False, one.name, [str(fault)])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
