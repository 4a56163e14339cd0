"""Asks glibc's own loader: a real start, and ld.so's trace mode, both with LD_DEBUG."""
import glob
import os
import re
import subprocess

from answer import Answer, Search, Undefined
from fixture import Broken, Skipped
from machines import MACHINES

NAME = "glibc"
MACHINE = MACHINES["x86_64"]
INTERPRETER = MACHINE.interpreter
COMPILER = MACHINE.compiler
HANG_SECONDS = 1.0  # a start takes milliseconds; only a blocked open takes longer

ASKS = re.compile(r"file=(.*) \[0\];  (?:needed|dynamically loaded) by (.*) \[0\]$")
LOOKS = re.compile(r"find library=(.*) \[0\]; searching")
TRIES = re.compile(r"  trying file=(.*)")
MAPPED = "  dynamic: 0x"  # follows "generating link map" unless the file is refused at last
BINDS = re.compile(r"binding file (.*) \[0\] to (.*) \[0\]: \w+ symbol `(.*?)'")
LISTS = re.compile(r"^\t(.*?)(?: => (.*))? \(0x[0-9a-f]+\)$", re.MULTILINE)
OBJECTS = re.compile(r"^object (.+)$", re.MULTILINE)
UNDEFINED = re.compile(r"^undefined symbol: ([^\s,]+)(?:, version (\S+))?\t\((.*)\)$", re.MULTILINE)
VERSION = re.compile(r": version `(.*?)' not found \(required by (.*)\)$", re.MULTILINE)
NOT_IN_FILE = re.compile(
    r"^symbol ([^\s,]+), version (\S+) not defined in file \S+ with link time reference\t\((.*)\)$",
                         re.MULTILINE)


def choose(machine):
    """From now on the loader of that machine is asked."""
    global MACHINE, INTERPRETER, COMPILER, HANG_SECONDS
    MACHINE, INTERPRETER, COMPILER = machine, machine.interpreter, machine.compiler
    if machine.runner:
        HANG_SECONDS = 5.0


def version():
    """The loader's version, "2.36"."""
    said = subprocess.run([*MACHINE.runner, INTERPRETER, "--version"], capture_output=True, text=True,
                          check=False).stdout
    if not said:  # up to 2.32 ld.so does not tell
        said = subprocess.run(["getconf", "GNU_LIBC_VERSION"], capture_output=True, text=True, check=True).stdout
    return re.search(r"(?:release version|glibc) (\d+\.\d+)", said).group(1)


def lacking():
    """What this machine lacks to ask this loader, or None."""
    return MACHINE.lacking()


def ask(plan):
    if MACHINE.runner and plan.user == "setuid":
        raise Skipped("QEMU starts no program with the rights of its file")
    answer = Answer()
    if plan.kind == "run":
        start(plan, answer)
    # The trace goes on where a start ends, but knows nothing of dlopen, and is refused in secure mode.
    if not answer.hung and not plan.dlopens and plan.user != "setuid":
        trace(plan, answer)
    return answer


def start(plan, answer):
    wanted = "files,libs,bindings" if plan.dlopens else "files,libs"
    done, log = execute(plan, plan.command(), {"LD_DEBUG": wanted}, "start")
    if done is None:
        answer.hung = True
        return
    answer.started = done.stdout.startswith("started\n")
    answer.stderr = done.stderr
    read_dlopens(done.stdout, answer)
    lines = [without_prefix(line, plan.target + ": ") for line in done.stderr.splitlines()]
    if not answer.started and done.returncode == 1:  # versions: one line for each that is missing
        answer.error = next(line for line in lines if ": version `" in line)
    elif not answer.started and done.returncode == 127:
        answer.error = without_prefix(lines[-1], "error while loading shared libraries: ")
    elif answer.started and done.returncode == 127:
        answer.late_error = lines[-1]
    elif done.returncode != 0 or not answer.started:
        raise Broken(f"{plan.target} ended with status {done.returncode}\n{done.stderr}")
    if log is None:  # secure mode: the listing of plugin_host.c is all there is
        log, answer.logged = "", False
    read_log(plan, log, OBJECTS.findall(done.stdout), answer)
    if plan.dlopens:
        answer.bindings = read_bindings(plan, log)


def trace(plan, answer):
    command = plan.command() if plan.kind == "run" else [INTERPRETER, plan.target]
    asked = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "1"}
    everything, log = execute(plan, command, {**asked, "LD_BIND_NOW": "1", "LD_DEBUG": "files,libs,bindings"}, "trace")
    now, _ = execute(plan, command, asked, "trace-now")
    if everything is None or now is None:
        raise Broken("the trace hung where the start did not")
    if plan.kind == "list":
        answer.stderr = everything.stderr
        answer.started = everything.returncode == 0
    read_log(plan, log, [path or name for name, path in LISTS.findall(everything.stdout)], answer)
    answer.bindings = read_bindings(plan, log)
    if min(everything.returncode, now.returncode) < 0:
        return  # a trace of 2.36 dies of a signal where versions of a missing library are asked for
    answer.undefined = read_undefined(plan, everything)
    answer.undefined_now = read_undefined(plan, now)
    answer.versions = {(plan.real(user), wanted) for wanted, user in VERSION.findall(now.stdout + now.stderr)}


def execute(plan, command, variables, what):
    """Runs the command; returns (the finished process or None if it hung, the LD_DEBUG log or None)."""
    output = os.path.join(plan.logs, what)
    if "LD_DEBUG" in variables:
        variables = {**variables, "LD_DEBUG_OUTPUT": output}
    try:
        done = subprocess.run([*MACHINE.runner, *command], **plan.process(variables), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=HANG_SECONDS)
    except subprocess.TimeoutExpired:
        return None, None
    logs = glob.glob(glob.escape(output) + ".[0-9]*")
    if not logs:
        return done, None
    with open(logs[0], errors="replace") as file:
        return done, re.sub(r"(?m)^ *\d+:\t", "", file.read())


def read_log(plan, log, listing, answer):
    """Searches and load order. `listing`: paths in load order; a start that fails leaves none."""
    listing = [path for path in listing
               if not any(name in path for name in ("linux-vdso", "linux-gate"))
               and plan.real(path) != os.path.realpath(INTERPRETER)]
    answer.searches = []
    answer.mapped = []
    search = None
    for line in log.splitlines():
        if match := ASKS.match(line):
            search = Search(plan.real(match.group(2)), match.group(1))
            answer.searches.append(search)
        elif match := TRIES.match(line):
            search.tried.append(match.group(1))
        elif line.startswith(MAPPED) and search is not None:  # None: the library of a `list`
            search.found = plan.real(last_tried(search))
            answer.mapped.append(search.found)
    answer.objects = [plan.program()] + ([plan.real(path) for path in listing] or answer.mapped)
    if not answer.logged:
        answer.mapped = answer.objects[1:]
    # A search that maps nothing has either failed, or found a file that is loaded under another name.
    for search in answer.searches:
        if search.found is None:
            last = plan.real(last_tried(search))
            search.found = next((path for path in answer.objects if same_file(path, last)), None)


def same_file(path, other):
    return os.path.exists(other) and os.path.samefile(path, other)


def last_tried(search):
    """A path is opened without a word in the log; of its tokens, only $ORIGIN has a value seen from here."""
    return search.tried[-1] if search.tried else search.name.replace("$ORIGIN", os.path.dirname(search.requester))


def read_bindings(plan, log):
    """Only those between the fixture's own objects: libc has hundreds."""
    bindings = {(plan.real(user), symbol, plan.real(definer)) for user, definer, symbol in BINDS.findall(log)}
    return {binding for binding in bindings
            if binding[0].startswith(plan.scratch) and binding[2].startswith(plan.scratch)
            and not binding[0].endswith("/linux-vdso.so.1")}


def read_undefined(plan, done):
    text = done.stdout + done.stderr
    return ({Undefined(plan.real(user), symbol, wanted) for symbol, wanted, user in UNDEFINED.findall(text)} |
            {Undefined(plan.real(user), symbol, wanted) for symbol, wanted, user in NOT_IN_FILE.findall(text)})


def read_dlopens(output, answer):
    said = re.findall(r"^dlopen (.*?): (.*)$", output, re.MULTILINE)
    answer.dlopens = [(name, None if error == "ok" else error) for name, error in said]


def without_prefix(text, prefix):
    return text[len(prefix):] if text.startswith(prefix) else text
