"""One fixture: a bash file named after a rule, built in a scratch directory into a plan of what to ask."""
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NOBODY = 65534


class Broken(Exception):
    """The fixture itself is wrong, or could not be built."""


class Skipped(Exception):
    """The fixture cannot be tried on this machine."""


@dataclass
class Request:
    """One dlopen after the start."""
    name: str
    caller: Optional[str] = None
    flags: List[str] = field(default_factory=list)

    def spelled(self):
        """The form that plugin_host.c and cudald's --dlopen share."""
        return ",".join([self.name + (f"@{self.caller}" if self.caller else "")] + self.flags)


@dataclass
class Plan:
    scratch: str
    logs: str
    kind: str = ""  # run | list
    target: str = ""
    folder: str = ""  # the current folder of the start
    user: str = ""  # "" | nobody | setuid
    environment: Dict[str, str] = field(default_factory=dict)
    dlopens: List[Request] = field(default_factory=list)
    expectations: List[List[str]] = field(default_factory=list)

    def real(self, path):
        """The path a loader named, absolute and with symlinks resolved."""
        return os.path.realpath(os.path.join(self.folder, path))

    def made(self, path):
        """The same for a path in the fixture's own words, which start at its scratch folder."""
        return os.path.realpath(os.path.join(self.scratch, path))

    def is_folder(self, path):
        return os.path.isdir(os.path.join(self.folder, os.path.dirname(path)))

    def program(self):
        return self.real(self.target)

    def command(self):
        return [self.target] + [request.spelled() for request in self.dlopens]

    def process(self, extra):
        """Arguments for subprocess: folder, environment and user of the start."""
        arguments = {"cwd": self.folder, "env": {"PATH": "/usr/bin:/bin", **self.environment, **extra}}
        if self.user and os.geteuid() == 0:
            arguments.update(user=NOBODY, group=NOBODY, extra_groups=[])
        return arguments


def build(source, libc, work, stubs):
    """Runs one fixture's bash file; returns its Plan. `libc` says which loader, see real_glibc and real_musl."""
    shutil.rmtree(work, ignore_errors=True)
    for name in "scratch", "logs", "spare":
        (work / name).mkdir(parents=True)
    (work / "logs").chmod(0o777)  # the start may belong to another user
    variables = {
        **os.environ, "LC_ALL": "C", "PYTHON": sys.executable, "FIXTURES": str(FIXTURES), "STUBS": str(stubs),
        "PLAN": str(work / "plan"), "SPARE": str(work / "spare"), "LIBC_VERSION": libc.version(),
        "INTERPRETER": libc.INTERPRETER, "HOSTED_CC": libc.COMPILER, "CC": libc.MACHINE.compiler,
        "MACHINE": libc.MACHINE.name, "BITS": str(libc.MACHINE.bits),
        "MULTIARCH": libc.MACHINE.multiarch, "ORDER": libc.MACHINE.order,
    }
    script = 'set -euo pipefail; source "$FIXTURES/vocabulary.sh"; source "$0"'
    made = subprocess.run(["bash", "-c", script, str(source)], cwd=work / "scratch", env=variables,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if made.returncode != 0:
        raise Broken(f"cannot be built (bash status {made.returncode}):\n{made.stderr}{made.stdout}")
    if not (work / "plan").exists():
        raise Broken("asks nothing")
    return read_plan(work)


def read_plan(work):
    scratch = str((work / "scratch").resolve())
    plan = Plan(scratch=scratch, logs=str((work / "logs").resolve()), folder=scratch)
    for record in (work / "plan").read_text().split("\x1e")[:-1]:
        verb, *words = record.split("\x1f")[:-1]
        if verb == "skip":
            raise Skipped(" ".join(words))
        if verb in ("run", "list"):
            if plan.kind:
                raise Broken("has more than one run or list")
            plan.kind = verb
            read_start(plan, words)
        elif verb == "dlopen":
            plan.dlopens.append(read_request(words))
        else:
            plan.expectations.append(words)
    if not plan.kind or not plan.expectations:
        raise Broken("needs a run or list, and an expect")
    if plan.user == "setuid":
        if why := setuid_has_no_effect(scratch):
            raise Skipped(why)
        os.chmod(plan.program(), 0o4755)
    return plan


def setuid_has_no_effect(folder):
    if os.geteuid() != 0:
        return "needs root, to give a setuid program to another user"
    if os.statvfs(folder).f_flag & os.ST_NOSUID:
        return f"{folder} is mounted nosuid"
    if "NoNewPrivs:\t1" in Path("/proc/self/status").read_text():
        return "this process may gain no privileges"
    return None


def read_start(plan, words):
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "in":
            plan.folder = os.path.join(plan.scratch, words.pop(0))
        elif word == "as":
            plan.user = words.pop(0)
        elif words and "=" in word:
            name, value = word.split("=", 1)
            plan.environment[name] = value
        elif not words:
            plan.target = word
        else:
            raise Broken(f"run: what is '{word}'?")


def read_request(words):
    request = Request(words[0])
    words = list(words[1:])
    while words:
        word = words.pop(0)
        if word == "by":
            request.caller = words.pop(0)
        else:
            request.flags.append(word)
    return request
