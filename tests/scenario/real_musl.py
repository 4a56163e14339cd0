"""Asks musl's own loader: a real start, its list of what it mapped, and, through strace or QEMU's, the paths it opened.

It says less than glibc's: a Search here has no requester, and its name is the file name of what was opened."""
import os
import re
import shutil
import subprocess

from answer import Answer, Search, Undefined
from fixture import Broken, Skipped
from machines import MACHINES

NAME = "musl"
MACHINE = MACHINES["x86_64"]
INTERPRETER = "/lib/ld-musl-x86_64.so.1"
COMPILER = "musl-gcc"
HANG_SECONDS = 1.0

OPENS = re.compile(r'^(?:\d+ )?open(?:at)?\((?:AT_FDCWD, ?)?"(.*?)",.* = (-?\d+)', re.MULTILINE)
LISTS = re.compile(r"^\t(?:.* => )?(.*) \(0x[0-9a-f]+\)$", re.MULTILINE)
OBJECTS = re.compile(r"^object (.+)$", re.MULTILINE)
DLOPENS = re.compile(r"^dlopen (.*?): (.*)$", re.MULTILINE)
UNDEFINED = re.compile(r"^Error relocating (.*): (\S+): symbol not found$", re.MULTILINE)


def choose(machine):
    """From now on the loader of that machine is asked."""
    global MACHINE, INTERPRETER, COMPILER, HANG_SECONDS
    MACHINE, INTERPRETER = machine, f"/lib/ld-musl-{machine.name}.so.1"
    COMPILER, HANG_SECONDS = f"{machine.name}-linux-musl-gcc", 5.0


def version():
    """The loader's version, "1.2.3". Called without a program, it tells and fails."""
    said = subprocess.run([*MACHINE.runner, INTERPRETER], capture_output=True, text=True, check=False).stderr
    return re.search(r"Version (\S+)", said).group(1)


def lacking():
    """What this machine lacks to ask this loader, or None."""
    if not os.path.exists(INTERPRETER):
        return INTERPRETER
    tools = (COMPILER, MACHINE.compiler, *(MACHINE.runner or ["strace"]))
    return next((tool for tool in tools if not shutil.which(tool)), None)


def ask(plan):
    if MACHINE.runner and plan.user == "setuid":
        raise Skipped("QEMU starts no program with the rights of its file")
    answer = Answer()
    if plan.kind == "list":
        done = execute(plan, [INTERPRETER, "--list", plan.target])
        read_end(plan, done, answer, started=done.returncode == 0)
        answer.objects = objects(plan, LISTS.findall(done.stdout))
        answer.logged = False
        return answer

    done = execute(plan, plan.command())
    if done is None:
        answer.hung = True
        return answer
    read_end(plan, done, answer, started=done.stdout.startswith("started\n"))
    answer.dlopens = [(name, None if error == "ok" else error) for name, error in DLOPENS.findall(done.stdout)]
    if answer.started and OBJECTS.search(done.stdout):
        answer.objects = objects(plan, OBJECTS.findall(done.stdout))
    else:
        listed = execute(plan, [INTERPRETER, "--list", plan.target])
        answer.objects = objects(plan, LISTS.findall(listed.stdout))
    answer.mapped = answer.objects[1:]
    if plan.user == "setuid":
        answer.logged = False  # strace takes the rights away
    else:
        answer.searches = traced(plan)
    return answer


def execute(plan, command):
    try:
        return subprocess.run([*MACHINE.runner, *command], **plan.process({}), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=HANG_SECONDS)
    except subprocess.TimeoutExpired:
        return None


def read_end(plan, done, answer, started):
    answer.started = started
    answer.stderr = done.stderr
    if done.returncode == 127 and not started:
        answer.error = done.stderr.splitlines()[0]  # all errors are told, each in a line
    elif done.returncode != 0:
        raise Broken(f"{plan.target} ended with status {done.returncode}\n{done.stderr}")
    if not plan.dlopens:
        answer.undefined = {Undefined(plan.real(user), symbol, "") for user, symbol in UNDEFINED.findall(done.stderr)}
        answer.undefined_now = answer.undefined  # nothing is bound lazily at a start


def objects(plan, paths):
    loader = os.path.realpath(INTERPRETER)
    return [plan.program()] + [path for path in map(plan.real, paths) if path not in (loader, plan.program())]


def traced(plan):
    log = os.path.join(plan.logs, "strace")
    process = plan.process({})
    if MACHINE.runner:
        command = [*MACHINE.runner, "-strace", "-D", log]
    else:
        command = ["strace", "-o", log, "-e", "trace=open,openat"]
        for name, value in plan.environment.items():
            command += ["-E", f"{name}={value}"]  # for the program, not for strace
        process["env"] = {"PATH": "/usr/bin:/bin"}
    subprocess.run(command + plan.command(), **process, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    with open(log, errors="replace") as file:
        opened = OPENS.findall(file.read())
    searches = []
    for path, result in opened:
        if path.startswith("/etc/ld-musl-"):
            continue
        name = os.path.basename(path)
        if not searches or searches[-1].name != name or searches[-1].found or path in searches[-1].tried:
            searches.append(Search("", name))
        searches[-1].tried.append(path)
        if int(result) >= 0:
            searches[-1].found = plan.real(path)
    return searches
