"""What `import NAME` loads: for real, told by the dynamic loader, and as cudald predicts it."""

import json
import os
import re
import signal
import subprocess

INITIALISED = re.compile(r"^\s*\d+:\s+calling init: (.+)$")

# What Python adds to the message of an exception when it prints it.
SUGGESTION = re.compile(r"\. Did you mean:? '[^']*'( \(.*\))?( instead of .*)?\?$")


class CannotAsk(Exception):
    """The real import or cudald gave no answer."""


def plain_environment():
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LD_", "CUDA"))}
    return dict(kept, PYTHONDONTWRITEBYTECODE="1", PYTHONNOUSERSITE="1")


def run_limited(command, seconds, **options):
    """Exit status and standard error. What is started besides ends with it: imports may start processes."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               start_new_session=True, **options)
    try:
        error = process.communicate(timeout=seconds)[1]
    except subprocess.TimeoutExpired:
        raise CannotAsk(f"not ready after {seconds} s") from None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.stderr.close()
        process.wait()
    return process, error.decode(errors="replace")


def import_once(python, modules, folder, seconds=None, variables=None):
    """Lets Python keep what it compiles: compiling needs modules of its own (unicodedata for a character that is
    named), and users' files have been compiled."""
    variables = {name: value for name, value in (variables or plain_environment()).items()
                 if name != "PYTHONDONTWRITEBYTECODE"}
    run_limited([python, "-c", f"import {modules}"], seconds, env=variables, cwd=folder)


# Printing an exception loads modules of its own: since Python 3.15 those that look for similar names.
IMPORT = """
try:
    import {modules}
except BaseException:
    with open({log!r} + "." + str(__import__("os").getpid()), "a") as log:
        log.write({failed!r} + chr(10))
    raise
"""
FAILED = "the import has failed"


def really_loaded(python, modules, folder, seconds=None, variables=None):
    """Real paths of the files that the import maps and initialises, the program left out; and the exceptions with which
    it fails, none if it does not."""
    log = os.path.join(folder, "log")
    variables = dict(variables or plain_environment(), LD_DEBUG="files", LD_DEBUG_OUTPUT=log)
    code = IMPORT.format(modules=modules, log=log, failed=FAILED)
    process, said = run_limited([python, "-c", code], seconds, env=variables, cwd=folder)
    loaded = set()
    with open(f"{log}.{process.pid}", encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            if line.startswith(FAILED):
                break
            match = INITIALISED.match(line)
            if match and match[1].startswith("/"):
                loaded.add(os.path.realpath(match[1]))
    if process.returncode == 0:
        return loaded, []
    return loaded, exceptions(said) or [f"exit status {process.returncode}"]


def exceptions(text):
    """The exceptions in what a Python program says, the one that caused the others first, each in one line."""
    found = []
    for part in text.split("Traceback (most recent call last):\n")[1:]:
        lines = re.split(r"\n\n(?:The above|During handling)", part)[0].splitlines()
        while lines and (lines[0].startswith(" ") or not lines[0]):
            lines.pop(0)
        found.append(SUGGESTION.sub("", " ".join(" ".join(lines).split())))
    return found


def predict(cudald, arguments, folder, variables=None):
    """The report, and the paths of the objects that it says are mapped, the program left out."""
    done = subprocess.run(
        [cudald, "explain", "-f", "json", *arguments],
        env=variables or plain_environment(), cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
    )
    if done.returncode not in (0, 1, 3):  # 3: something could not be read, which the report says
        raise CannotAsk(f"cudald ends with status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}")
    report = json.loads(done.stdout)
    return report, mapped(report)


def mapped(report):
    """The paths of the objects that a report says are mapped; the loader does not initialise the program itself."""
    return {item["path"] for item in report["objects"][1:] if item.get("mapped", True)}


def without_loader(paths):
    """The dynamic loader initialises itself: it stands in one list, not in the other."""
    return {path for path in paths if not os.path.basename(path).startswith("ld-linux")}


def differences(real, predicted):
    return [f"missing {path}" for path in sorted(real - predicted)] + [f"extra {path}"
                                                                       for path in sorted(predicted - real)]
