#!/usr/bin/env python3
"""Public reports of broken programs, staged small: is the verdict right, is the cause named, does the first fix work?

run.py BIN [--only NAME] [--every N] [--truth] [--say]

Each directory of cuda/, linux/ and windows/ is a case: make.sh builds it in the directory $1; expect.txt says what is
true; case.json has
  source  addresses of the report;  kind;  needs  commands, "uid0", "namespaces", "python:3.9": that Python,
          "pyenv:3.9": one that pyenv has compiled, "python-headers": those of the Python that runs this, or
          "root:NAME": a Debian root in $ROOTS
  asks    what cudald is asked, each with
    run      words; "cudald" is BIN, {w} the case's directory, which is also the current one
    env      variables;  before  shell commands for a mount namespace in which it is asked
    as       "nobody": asked as that user, of a copy with modes and capabilities
    verdict  loads | risk | cpu-only | fails | unknown, alternatives with |
    cause, fix  regular expressions that must all be found in the answer;  never  ones that must not
    truth    [shell command, exit status, text]: what really happens; of Windows nothing here can tell
    after    [shell command, exit status]: what happens once the first command that is offered was run in the same shell
A case whose needs are missing is skipped, and named."""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from sampled import add_every, in_sample  # noqa: E402

ROOTS = os.environ.get("ROOTS", os.path.expanduser("~/.cache/cudald-field/roots"))
HERE = os.path.dirname(os.path.abspath(__file__))
CLEAN = {k: v for k, v in os.environ.items()
         if not k.startswith("LD_") and k not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")}


def call(words, cwd, **env):
    r = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                       timeout=120, env=dict(CLEAN, COLUMNS="200", NO_COLOR="1", ROOTS=ROOTS, **env),
                       shell=isinstance(words, str),
                       executable="/bin/bash" if isinstance(words, str) else None)
    return r.returncode, r.stdout


def lacking(needs):
    for need in needs:
        if need == "uid0" and os.getuid() != 0:
            return "root"
        if need == "namespaces" and call(["unshare", "-m", "true"], "/")[0] != 0:
            return "mount namespaces"
        kind, _, release = need.partition(":")
        if kind in ("python", "pyenv"):
            places = glob.glob(os.path.expanduser(f"~/.pyenv/versions/{release}.*/bin/python3"))
            if not places and (kind == "pyenv" or not shutil.which("python" + release)):
                return need
        elif need == "python-headers":
            if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
                return need
        elif need.startswith("root:"):
            if not os.path.exists(f"{ROOTS}/{need[5:]}/etc/ld.so.cache"):
                return need
        elif need not in ("uid0", "namespaces") and not shutil.which(need):
            return need
    return None


class Ask:
    """One question of a case, and what is wrong with its answer."""

    def __init__(self, spec, binary, work):
        self.spec, self.work = spec, work
        self.words = [binary if w == "cudald" else w.replace("{w}", work) for w in spec["run"]]
        self.env = {k: v.replace("{w}", work) for k, v in spec.get("env", {}).items()}
        self.text = ""

    def ask(self):
        """The answer, as another user or in a namespace of its own where the question says so."""
        copy = None
        words, work, env = self.words, self.work, self.env
        try:
            if self.spec.get("as"):  # other users read nothing below the temporary directory of this one
                copy = tempfile.mkdtemp(prefix="cudald-field-", dir="/var/tmp")
                os.chmod(copy, 0o755)
                subprocess.run(["cp", "-a", work, copy + "/w"], check=True)
                shutil.copy(words[0], copy + "/cudald")
                words = [copy + "/cudald"] + [w.replace(work, copy + "/w") for w in words[1:]]
                env, work = {k: v.replace(self.work, copy + "/w") for k, v in env.items()}, copy + "/w"
                words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + words
            if self.spec.get("before"):
                script = self.spec["before"].replace("{w}", work) + '\nexec "$@"'
                given = [f"{k}={v}" for k, v in env.items()]
                words = ["unshare", "-m", "sh", "-ec", script, "sh", "env"] + given + words
                env = {}
            return call(words, work, **env)[1].replace(work, ".")
        finally:
            if copy:
                shutil.rmtree(copy, ignore_errors=True)

    def answer(self):
        self.text = self.ask()
        flat = " ".join(self.text.split())
        headline = re.search(r"^(LOADS|FAILS|RISK|CPU ONLY|UNKNOWN)\b", self.text, re.M)
        said = headline.group(1).lower().replace(" ", "-") if headline else "none"
        if "verdict" in self.spec and said not in self.spec["verdict"].split("|"):
            yield "verdict", f"{said}, wanted {self.spec['verdict']}"
        for point in ("cause", "fix"):
            for pattern in self.spec.get(point, []):
                if not re.search(pattern, flat, re.I | re.S):
                    yield point, "nothing like " + pattern
        for pattern in self.spec.get("never", []):
            found = re.search(pattern, flat, re.I | re.S)
            if found:
                yield "fix", "never: " + found.group(0)[:80]

    def first_command(self):
        _, text = call(self.words[:1] + ["-f", "json"] + self.words[1:], self.work, **self.env)
        for finding in json.loads(text[text.index("{"):])["findings"]:  # behind what ld.so says of LD_PRELOAD
            for fix in finding["fixes"]:
                if fix["command"]:
                    return fix["command"]
        return ":"

    def truth(self):
        command, status, *text = self.spec["truth"]
        code, said = call(command, self.work)
        if code != status or any(t not in said for t in text):
            yield "truth", f"{command}: exit {code}: {said[-200:]}"

    def mended(self):
        """The first command, and then the program, in one shell."""
        command, status = self.spec["after"]
        exports = "".join(f"export {k}='{v}'\n" for k, v in self.env.items())
        first = self.first_command()
        code, said = call(f"{exports}{first}\n{command}", self.work)
        if code != status:
            yield "fix", f"after `{first}`: exit {code}: {said[-200:]}"


def run_case(number, folder, binary, truth, say):
    with open(folder + "/case.json", encoding="utf-8") as file:
        case = json.load(file)
    name, why = os.path.basename(folder), lacking(case["needs"])
    if why:
        print(f"ok {number} - {name} # SKIP needs {why}")
        return None
    work = os.path.join(tempfile.mkdtemp(prefix="cudald-field-"), "case")
    os.mkdir(work)
    try:
        code, text = call(["bash", folder + "/make.sh", work], work)
        complaints = [("make", text[-300:])] if code else []
        for spec in case["asks"] if not code else []:
            ask = Ask(spec, binary, work)
            if truth and "truth" in spec:
                complaints += ask.truth()
            complaints += ask.answer()
            if "after" in spec:
                complaints += ask.mended()
            if say:
                print("\n".join("# " + line for line in ask.text.splitlines()))
        # What cudald does not do yet is said as such, and neither counts as passed nor as an accident.
        todo = f" # TODO {case['todo']}" if complaints and "todo" in case else ""
        print(f"{'not ok' if complaints else 'ok'} {number} - {name}{todo}")
        for point, text in complaints:
            print("\n".join("# " + line for line in f"{point}: {text}".splitlines()))
        return {point for point, _ in complaints}, bool(todo)
    finally:
        shutil.rmtree(os.path.dirname(work), ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--only", default="")
    add_every(parser)
    parser.add_argument("--truth", action="store_true", help="ask the real loader as well")
    parser.add_argument("--say", action="store_true", help="print the answers")
    options = parser.parse_args()
    binary = os.path.abspath(options.binary)
    cases = sorted(os.path.dirname(path) for path in glob.glob(HERE + "/*/*/case.json"))
    cases = [case for case in cases if options.only in os.path.relpath(case, HERE)
             and in_sample(os.path.basename(case), options.every)]
    print(f"1..{len(cases)}")
    with tempfile.TemporaryDirectory(prefix="cudald-field-") as stubs:
        CLEAN["STUBS"] = stubs  # DLLs that several cases have are made once
        results = [run_case(i, case, binary, options.truth, options.say) for i, case in enumerate(cases, 1)]
    results = [r for r in results if r is not None]
    right = sum("verdict" not in points for points, _ in results)
    helped = sum(not points for points, _ in results)
    print(f"# {len(results)} cases: verdict right in {right}, helped in one command in {helped}")
    sys.exit(1 if any(points and not todo for points, todo in results) else 0)


if __name__ == "__main__":
    main()
