"""The family "cheap bytes, dear reading": files of a few megabytes at most, whose reading could take minutes or all
memory. Each script of it has a list of cases and ends with `sys.exit(run(__doc__, CASES))`:

    cheap_X.py CUDALD [--only GLOB] [--every N] [--keep DIR] [--time-limit S] [--memory-limit MB]

cudald must end by itself, within the limits, with a documented exit status; it must tell what is wrong with the file,
or that a limit was reached; and the rest of its report must stand. Output is TAP.
"""

import argparse
import fnmatch
import json
import os
import sys
import tempfile
from dataclasses import dataclass, field

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from measured import measured  # noqa: E402
from sampled import add_every, in_sample  # noqa: E402
from tap import Tap, first  # noqa: E402

LARGEST_OUTPUT = 64 << 20  # bytes


@dataclass
class Asked:
    """One run of cudald and what it must say."""

    arguments: list  # with "-f", "json" where `told` or `stands` are to be looked at
    told: tuple = ("CUD902",)  # codes, of which one finding must have one; () where nothing is wrong
    about: str = ""  # a part of the subject, message or evidence of that finding
    said: str = ""  # a part of what it writes to stderr, where there is no report
    defect: str = ""  # of `show -f json`: a part of one defect's message
    stands: object = None  # (document) -> what of the rest of the report is not there, or None
    status: tuple = (0, 1, 3)  # documented exit statuses that are right here
    env: dict = field(default_factory=dict)
    cwd: str = "/"


@dataclass
class CheapCase:
    name: str
    build: object  # (folder) -> list of Asked


def run(doc, cases):
    """Runs the cases that --only names; returns the exit status of the script."""
    parser = argparse.ArgumentParser(description=doc.strip().splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--only", default="*", metavar="GLOB", help="only the cases whose names match")
    add_every(parser)
    parser.add_argument("--keep", metavar="DIR", help="leave the files of each case there")
    parser.add_argument("--time-limit", type=float, default=2, metavar="S", help="of processor time")
    parser.add_argument("--memory-limit", type=int, default=256, metavar="MB")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)
    tap = Tap()
    if not os.access(options.cudald, os.X_OK):
        tap.bail_out(f"{options.cudald} is not a program")
    chosen = [
        case for case in cases if fnmatch.fnmatch(case.name, options.only) and in_sample(case.name, options.every)
    ]
    for number, case in enumerate(chosen):
        with tempfile.TemporaryDirectory() as own:
            folder = os.path.join(options.keep, f"{number:02}-{case.name.replace(' ', '-')}") if options.keep else own
            folder = os.path.realpath(folder)
            os.makedirs(folder, exist_ok=True)
            faults, figures = [], []
            for asked in case.build(folder):
                ending, told = answer(options, asked)
                figures.append(f"{ending.seconds:.2f} s {ending.megabytes:.0f} MB")
                faults += [f"{' '.join(map(os.fsdecode, asked.arguments))[:160]}: {fault}" for fault in told]
            tap.ok(not faults, case.name, first(faults))
            tap.comment(f"{case.name}: {', '.join(figures)}")
    return tap.finish()


def answer(options, asked):
    """How one run ended, and what is wrong with it, in words."""
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **asked.env}
    env.update({name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")})
    # A machine that others use as well: more by the clock than by the processor.
    ending = measured([options.cudald, *asked.arguments], 8 * options.time_limit, LARGEST_OUTPUT, env=env,
                      cwd=asked.cwd)
    faults = list(ending_faults(ending, options, asked.status))
    if asked.said and asked.said not in ending.stderr.decode(errors="replace"):
        faults.append(f"not said: {asked.said!r}, but {ending.stderr[:300]!r}")
    if not faults and "json" in asked.arguments:
        faults += report_faults(ending.stdout, asked)
    return ending, faults


def ending_faults(ending, options, statuses):
    last = ending.stderr[-300:].decode(errors="replace")
    if ending.timed_out:
        yield f"no end after {8 * options.time_limit:.0f} s: {last}"
    elif ending.status < 0:
        yield f"ended by signal {-ending.status}: {last}"
    elif ending.status not in statuses:
        yield f"exit status {ending.status}: {last}"
    if b"Sanitizer" in ending.stderr or b"runtime error:" in ending.stderr:
        yield f"sanitizer: {ending.stderr[:1500].decode(errors='replace')}"
    if ending.seconds > options.time_limit:
        yield f"took {ending.seconds:.1f} s of processor time"
    if ending.megabytes > options.memory_limit:
        yield f"took {ending.megabytes:.0f} MB"
    if len(ending.stdout) > LARGEST_OUTPUT:
        yield f"wrote more than {LARGEST_OUTPUT >> 20} MB"


def report_faults(raw, asked):
    try:
        document = json.loads(raw.decode("utf-8"))
    except ValueError as error:
        yield f"no valid JSON: {error!r}"
        return
    if asked.defect:
        defects = [defect["message"] for defect in document["defects"]]
        if not any(asked.defect in defect for defect in defects):
            yield f"no defect with the words {asked.defect!r}: {defects[:5]}"
    elif asked.told:
        findings = document["findings"]
        if not any(finding["code"] in asked.told and asked.about in json.dumps(finding) for finding in findings):
            brief = [f"{finding['code']} {finding['message']}"[:200] for finding in findings[:8]]
            yield f"no {' or '.join(asked.told)} about {asked.about!r}: {brief}"
    missing = asked.stands(document) if asked.stands else None
    if missing:
        yield f"the rest of the report does not stand: {missing}"


def findings_of(document, code, about=""):
    """The findings of a report that have a code and hold a text."""
    return [f for f in document["findings"] if f["code"] == code and about in json.dumps(f)]
