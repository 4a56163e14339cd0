#!/usr/bin/env python3
"""Gives cudald hostile input, and checks that it takes none of it badly.

    run.py CUDALD [--only GLOB] [--every N] [--keep DIR] [--time-limit S] [--memory-limit MB]
    run.py CUDALD --mutate N [--seed S] [--keep DIR]

Each file is asked about by itself and, mostly, as the library of a healthy program, in JSON and
in text. cudald must end by itself, within the limits, with a documented exit status that fits its
report; JSON must be valid, and nothing may reach the terminal as a control character. Where the
real loader refuses a file, cudald must not say that it loads, and the other way round.

--mutate makes N random edits to the headers and tables of a healthy library instead; it is meant
for a build with sanitizers. --keep leaves the files of each case (of --mutate: only those that
failed) in DIR. Output is TAP.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import mutation  # noqa: E402
from case import Question, write  # noqa: E402
from cases import all_cases  # noqa: E402
from measured import measured  # noqa: E402
from reachable import reachable  # noqa: E402
from sampled import add_every, in_sample  # noqa: E402
from samples import Samples  # noqa: E402
from tap import Tap, first  # noqa: E402

VERDICTS = {"loads": "LOADS", "cpu-only": "CPU ONLY", "risk": "RISK", "fails": "FAILS", "unknown": "UNKNOWN"}
LD_SO = "/lib64/ld-linux-x86-64.so.2"
AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
LARGEST_OUTPUT = 64 << 20  # bytes


@dataclass
class Limits:
    seconds: float  # of processor time; four times as long by the clock
    megabytes: int


CONTRADICTION = "the real loader"
# Contradictions with the real loader that are accepted, each with its reason.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "known_differences.json"), encoding="utf-8") as file:
    KNOWN_DIFFERENCES = json.load(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--only", default="*", metavar="GLOB", help="only the cases whose names match")
    add_every(parser)
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--time-limit", type=float, default=2, metavar="S")
    parser.add_argument("--memory-limit", type=int, default=256, metavar="MB")
    parser.add_argument("--mutate", type=int, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)

    tap = Tap()
    if not shutil.which("gcc"):
        tap.bail_out("gcc is not there to build the healthy library")
    if not os.access(options.cudald, os.X_OK):
        tap.bail_out(f"{options.cudald} is not a program")
    limits = Limits(options.time_limit, options.memory_limit)
    with tempfile.TemporaryDirectory() as root:
        root = os.path.realpath(root)
        os.chmod(root, 0o755)  # some cases are run by nobody
        samples_folder = os.path.join(root, "samples")
        os.mkdir(samples_folder)
        samples = Samples(samples_folder)
        program_folder = os.path.join(root, "program")
        os.mkdir(program_folder)
        options.cudald = reachable(options.cudald, program_folder)
        check_healthy(tap, options.cudald, samples, limits)
        if options.mutate is not None:
            mutate(tap, options, samples, root, limits)
        else:
            run_cases(tap, options, samples, root, limits)
    return tap.finish()


def check_healthy(tap, cudald, samples, limits):
    """Nothing is proven by hostile files if the healthy ones are refused as well."""
    question = Question([samples.program], real=True)
    faults = judge(cudald, question, limits)
    document = ask(cudald, question, "json", limits).stdout
    verdict = json.loads(document).get("verdict") if not faults else None
    tap.ok(verdict == "loads", "the healthy program loads", [*faults, f"verdict {verdict}"])
    tap.ok(real_loader_says(samples.program)[0] == "loads", "the real loader accepts it, too")


def run_cases(tap, options, samples, root, limits):
    nobody_can = os.geteuid() != 0 or nobody_can_run(options.cudald)

    def run(numbered):
        number, case = numbered
        folder = os.path.join(options.keep or root, f"{number:04}")
        os.makedirs(folder)
        questions = case.build(folder)
        if not nobody_can and any(question.as_nobody for question in questions):
            return case, None
        faults = []
        for i, question in enumerate(questions):
            for fault in judge(options.cudald, question, limits, one_line=case.one_line and i == 0):
                faults.append(f"{' '.join(question.targets)[:200]}: {fault}")
        if not options.keep:
            subprocess.run(["rm", "-rf", folder], check=False)
        return case, faults

    chosen = [
        (number, case) for number, case in enumerate(all_cases(samples))
        if fnmatch.fnmatch(case.name, options.only) and in_sample(case.name, options.every)
    ]
    tap.ok(bool(chosen), f"{len(chosen)} hostile inputs")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, faults in pool.map(run, chosen):
            if faults is None:
                tap.skip(
                    case.name, f"the user nobody may not run {options.cudald}, and root may read everything"
                )
            else:
                known = KNOWN_DIFFERENCES.get(case.name)
                contradicted = [fault for fault in faults if CONTRADICTION in fault]
                if known and contradicted:
                    tap.comment(f"known difference, {case.name}: {known}")
                    faults = [fault for fault in faults if fault not in contradicted]
                elif known:
                    faults.append("listed in known_differences.json, and there is no difference any more")
                tap.ok(not faults, case.name, first(faults))


# --- one question -------------------------------------------------------------------------------


def judge(cudald, question, limits, one_line=False):
    """What is wrong with cudald's answers to a question, in words."""
    faults = []
    as_json = ask(cudald, question, "json", limits)
    as_text = ask(cudald, question, "text", limits)
    for format_, ending in (("json", as_json), ("text", as_text)):
        faults += [f"{format_}: {fault}" for fault in ending_faults(ending, limits)]
    faults += [f"json: {fault}" for fault in json_faults(as_json)]
    faults += [f"text: {fault}" for fault in text_faults(as_text, one_line)]
    if as_json.status != as_text.status:
        faults.append(f"exit status {as_json.status} with json, {as_text.status} with text")
    if not faults:
        faults += disagreement(question, as_json)
    return faults


def disagreement(question, as_json):
    """A line if cudald and the real loader contradict each other. Other verdicts claim less."""
    if question.real:
        verdict, (real, line) = json.loads(as_json.stdout)["verdict"], real_loader_says(question.targets[0])
        # A loader that crashes is no reference.
        # While it traces, the loader leaves out most relocations; a file that is damaged there crashes at its start.
        if (verdict, real) == ("fails", "loads") and b"CUD120" in as_json.stdout and crashes(question.targets[0]):
            return
        if (verdict, real) in (("loads", "refuses"), ("fails", "loads")):
            yield f"the verdict is {verdict}, {CONTRADICTION} {real} it: {line}"


def nobody_can_run(program):
    return subprocess.run([*AS_NOBODY, "test", "-x", program], check=False).returncode == 0


def ask(cudald, question, format_, limits):
    # The odd variables are for the simulated process; the real loader of cudald itself must not see them.
    variables = [word for name, value in question.env.items() for word in ("--env", f"{name}={value}")]
    command = [cudald, "explain", "-f", format_, "--symbols", "all", *variables, *question.options, *question.targets]
    if question.as_nobody and os.geteuid() == 0:
        command = AS_NOBODY + command
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    for name, value in os.environ.items():
        if name.endswith("SAN_OPTIONS"):
            env[name] = value
    return measured(command, 4 * limits.seconds, LARGEST_OUTPUT, env=env, cwd="/")


def ending_faults(ending, limits):
    last = ending.stderr[-300:].decode(errors="replace")
    if ending.timed_out:
        yield f"no end after {4 * limits.seconds:.0f} s: {last}"
    elif ending.status < 0:
        yield f"ended by signal {-ending.status}: {last}"
    elif ending.status not in (0, 1, 3):
        yield f"exit status {ending.status}: {last}"
    if b"Sanitizer" in ending.stderr or b"runtime error:" in ending.stderr:
        yield f"sanitizer: {ending.stderr[:1500].decode(errors='replace')}"
    if ending.seconds > limits.seconds:
        yield f"took {ending.seconds:.1f} s of processor time"
    if ending.megabytes > limits.megabytes:
        yield f"took {ending.megabytes:.0f} MB"
    if len(ending.stdout) > LARGEST_OUTPUT:
        yield f"wrote more than {LARGEST_OUTPUT >> 20} MB"
    for fault in control_characters(ending.stderr):
        yield f"stderr: {fault}"


def json_faults(ending):
    if ending.status not in (0, 1, 3) or len(ending.stdout) > LARGEST_OUTPUT:
        return
    try:
        document = json.loads(ending.stdout.decode("utf-8"))
        verdict, findings = document["verdict"], document["findings"]
        levels = {finding["level"] for finding in findings}
        ids = {object_["id"] for object_ in document["objects"]}
        targets = document["targets"]
        if document["schema"] != "cudald/report" or not targets:
            yield "no report"
    except (ValueError, KeyError, TypeError) as error:
        yield f"no valid report: {error!r}"
        return
    if verdict not in VERDICTS:
        yield f"unknown verdict {verdict!r}"
    if (ending.status == 3) != (verdict == "unknown"):
        yield f"exit status {ending.status} with the verdict {verdict}"
    if ending.status == 0 and "error" in levels:
        yield "exit status 0 with an error among the findings"
    if ending.status == 1 and "error" not in levels:
        yield "exit status 1 without an error among the findings"
    if verdict in ("fails", "unknown") and not findings:
        yield f"the verdict {verdict} without a finding"
    for object_ in document["objects"]:
        for needed in object_["needed"]:
            if needed["object"] is not None and needed["object"] not in ids:
                yield f"object {needed['object']} is not in the report"


def text_faults(ending, one_line):
    if ending.status not in (0, 1, 3):
        return
    for fault in control_characters(ending.stdout):
        yield f"stdout: {fault}"
    lines = ending.stdout.decode(errors="replace").splitlines()
    complaints = ending.stderr.decode(errors="replace").splitlines()
    if not lines and not complaints:
        yield "no word to the user"
    if lines and not lines[0].startswith(tuple(VERDICTS.values())):
        yield f"the first line is no verdict: {lines[0][:200]!r}"
    if one_line:
        if ending.status != 3:
            yield f"exit status {ending.status}, though nothing can be said about this target"
        if len(complaints) > 1 or (complaints and lines):
            yield f"not one clear line: {len(lines)} on stdout, {len(complaints)} on stderr"


def control_characters(raw):
    """Nothing from a file may move the cursor, change colours or reorder what is seen."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"not UTF-8: {error}"]
    bidirectional = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029")
    bad = {c for c in set(text) - {"\n"} if unicodedata.category(c) == "Cc" or c in bidirectional}
    return [f"control characters {sorted(bad)!r}"] if bad else []


def real_loader_says(path):
    """`loads`, `refuses` or `crashes`, and in which words, of a program, its libraries and its symbols.

    Nothing of it runs.
    """
    env = {"LD_TRACE_LOADED_OBJECTS": "1", "LD_WARN": "yes", "LD_BIND_NOW": "yes"}
    try:
        run = subprocess.run([LD_SO, path], env=env, capture_output=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        return "crashes", "no end"
    if run.returncode < 0 or b"Inconsistency detected" in run.stderr:
        return "crashes", f"exit status {run.returncode}"
    lines = (run.stderr + run.stdout).decode(errors="replace").splitlines()
    # Of versions it goes on while it traces, and ends when it starts the program.
    complaints = ("not found", "undefined symbol", "symbol lookup error", "error while loading", "unsupported version")
    spoken = [line for line in lines if any(c in line for c in complaints) and ": weak version `" not in line]
    if run.returncode != 0 or spoken:
        return "refuses", (spoken or lines or [f"exit status {run.returncode}"])[0]
    return "loads", ""


def crashes(path):
    """Whether a program, which is one of the tests' own, ends by a signal when it is started."""
    run = subprocess.run(path, env={"LD_BIND_NOW": "1"}, capture_output=True, timeout=10, check=False)
    return run.returncode < 0


# --- random edits -------------------------------------------------------------------------------


def mutate(tap, options, samples, root, limits):
    """N edited libraries, each asked about by itself or in a program."""
    places = mutation.interesting_places(samples.library)

    def run(number):
        rng = random.Random(f"{options.seed}/{number}")
        data, edits = mutation.mutated(rng, samples.library_bytes, places)
        folder = os.path.join(root, str(number))
        os.mkdir(folder)
        library, program = os.path.join(folder, "libbad.so"), os.path.join(folder, "main")
        write(library, data)
        write(program, samples.program_bytes)
        question = Question([rng.choice([library, program])])
        faults = judge(options.cudald, question, limits)
        other = []
        if not faults and question.targets == [program]:
            question.real = True
            other = list(disagreement(question, ask(options.cudald, question, "json", limits)))
        if (faults or other) and options.keep:
            shutil.copytree(folder, os.path.join(options.keep, str(number)), dirs_exist_ok=True)
        shutil.rmtree(folder)
        prefix = f"seed {options.seed}, file {number} ({edits}): "
        return [prefix + fault for fault in faults], [prefix + line for line in other]

    faults, disagreements = [], []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found, other in pool.map(run, range(options.mutate)):
            faults += found
            disagreements += other
    tap.ok(not faults, f"{options.mutate} random edits, seed {options.seed}", first(faults))
    # No test: some edits, of a relocation's type for example, concern what cudald does not simulate.
    tap.comment(f"{len(disagreements)} verdicts contradict the real loader")
    for line in first(disagreements):
        tap.comment(line)


if __name__ == "__main__":
    sys.exit(main())
