#!/usr/bin/env python3
"""Asks cudald about malformed wheels: each fault must be found, and none may hurt.

    run.py CUDALD [--only GLOB] [--keep DIR] [--time-limit S] [--memory-limit MB]
    run.py CUDALD --mutate N [--seed S] [--keep DIR]

Each wheel of make_malformed.py is asked about in JSON and in text. cudald must end by itself, within
the limits, with a documented exit status; JSON must be valid, text free of control characters, and
the finding that the case names must be in both, with the fault's own words. Healthy wheels must have
none of these findings.

--mutate edits N healthy wheels at random, mostly in their headers. There Python's zipfile, which pip
installs with, is the reference: what it refuses, cudald must not find healthy.
Output is TAP.
"""

import argparse
import concurrent.futures
import fnmatch
import io
import json
import os
import random
import sys
import tempfile
import unicodedata
import warnings
import zipfile
from dataclasses import dataclass

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from make_malformed import CASES, DISAGREE, LIMIT, MALFORMED, RECORD, UNSAFE, archive  # noqa: E402
from measured import measured  # noqa: E402
from tap import Tap, first  # noqa: E402

ARCHIVE_CODES = {MALFORMED, LIMIT, UNSAFE, DISAGREE, RECORD, "CUD904"}
EXIT_STATUSES = (0, 1, 3)
BIDIRECTIONAL = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029")


@dataclass
class Limits:
    seconds: float  # of processor time; four times as long by the clock
    megabytes: int


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--only", default="*", metavar="GLOB", help="only the cases whose names match")
    parser.add_argument("--keep", metavar="DIR", help="keep the wheels there")
    parser.add_argument("--time-limit", type=float, default=2, metavar="S")
    parser.add_argument("--memory-limit", type=int, default=256, metavar="MB")
    parser.add_argument("--mutate", type=int, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)

    tap = Tap()
    if not os.access(options.cudald, os.X_OK):
        tap.bail_out(f"{options.cudald} is not a program")
    limits = Limits(options.time_limit, options.memory_limit)
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            folder = options.keep
            os.makedirs(folder, exist_ok=True)
        if options.mutate is None:
            run_cases(tap, options, folder, limits)
        else:
            mutate(tap, options, folder, limits)
    return tap.finish()


def run_cases(tap, options, folder, limits):
    chosen = [case for case in CASES if fnmatch.fnmatch(case.name, options.only)]
    tap.ok(bool(chosen), f"{len(chosen)} wheels")

    def run(case):
        name, data = archive(case)
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        faults = judge(options.cudald, path, case, limits)
        if case.code is None:
            faults += [f"Python's zipfile: {complaint}" for complaint in zipfile_complaints(data)]
        return case, faults

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for case, faults in pool.map(run, chosen):
            tap.ok(not faults, f"{case.name}: {case.code or 'healthy'}", first(faults))


def judge(cudald, path, case, limits):
    """What is wrong with cudald's answers about one wheel, in words."""
    as_json = ask(cudald, path, "json", limits, case.options)
    as_text = ask(cudald, path, "text", limits, case.options)
    faults = [f"json: {fault}" for fault in ending_faults(as_json, limits)]
    faults += [f"text: {fault}" for fault in ending_faults(as_text, limits)]
    faults += [f"text: {fault}" for fault in control_characters(as_text.stdout)]
    if as_json.status != as_text.status:
        faults.append(f"exit status {as_json.status} with json, {as_text.status} with text")
    if faults:
        return faults
    try:
        findings = json.loads(as_json.stdout.decode("utf-8"))["findings"]
        found = [(finding["code"], json.dumps(finding, ensure_ascii=False)) for finding in findings]
    except (ValueError, KeyError, TypeError) as error:
        return [f"json: no valid report: {error!r}"]

    told = " ".join((as_text.stdout + as_text.stderr).decode("utf-8", "replace").split())
    listed = [f"found {code}: {text[:300]}" for code, text in found]
    if case.code is None:
        return [line for (code, _), line in zip(found, listed) if code in ARCHIVE_CODES]
    if not any(code == case.code and case.words in text for code, text in found):
        faults.append(f"json: no {case.code} with the words {case.words!r}")
    # Text is wrapped, so that blanks say nothing.
    if case.words not in told:
        faults.append(f"text: nothing with the words {case.words!r}")
    return faults + listed if faults else []


def ask(cudald, path, format_, limits, options=()):
    env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    env.update((name, value) for name, value in os.environ.items() if name.endswith("SAN_OPTIONS"))
    command = [cudald, "explain", "-f", format_, *options, path]
    return measured(command, 4 * limits.seconds, env=env, cwd="/")


def ending_faults(ending, limits):
    last = ending.stderr[-300:].decode(errors="replace")
    if ending.status < 0:
        yield f"ended by signal {-ending.status} after {ending.seconds:.1f} s of processor time: {last}"
    elif ending.status not in EXIT_STATUSES:
        yield f"exit status {ending.status}: {last}"
    if b"Sanitizer" in ending.stderr or b"runtime error:" in ending.stderr:
        yield f"sanitizer: {ending.stderr[:1500].decode(errors='replace')}"
    if ending.seconds > limits.seconds:
        yield f"took {ending.seconds:.1f} s of processor time"
    if ending.megabytes > limits.megabytes:
        yield f"took {ending.megabytes:.0f} MB"
    yield from control_characters(ending.stderr)


def control_characters(raw):
    """Nothing from an archive may move the cursor, change colours or reorder what is seen."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return [f"not UTF-8: {error}"]
    bad = {c for c in set(text) - {"\n"} if unicodedata.category(c) == "Cc" or c in BIDIRECTIONAL}
    return [f"control characters {sorted(bad)!r}"] if bad else []


# --- random edits -------------------------------------------------------------------------------


READ_MEMBERS = (".so", ".dist-info/METADATA", ".dist-info/WHEEL", ".dist-info/RECORD")  # by cudald, to their end


def zipfile_complaints(data):
    """What Python's zipfile has against the structure of an archive, and the bytes of the members that cudald reads."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            opened = zipfile.ZipFile(io.BytesIO(data))
        except Exception as error:  # it raises what its parts raise: struct.error, UnicodeDecodeError...
            return [repr(error)]
        complaints = []
        for member in opened.infolist():
            try:
                with opened.open(member) as file:
                    if member.filename.endswith(READ_MEMBERS):
                        file.read()
            except Exception as error:
                complaints.append(f"{member.filename}: {error!r}")
        return complaints


def edited(rng, data):
    """`data` with a few bytes changed: mostly in the records, where it matters."""
    data = bytearray(data)
    records = [at for at in range(len(data)) if data[at : at + 2] == b"PK"]
    for _ in range(rng.randint(1, 3)):
        at = rng.choice(records) + rng.randrange(50) if rng.random() < 0.8 else rng.randrange(len(data))
        data[min(at, len(data) - 1)] = rng.choice([0, 1, 8, 0x7F, 0xFF, rng.randrange(256)])
    return bytes(data)


def mutate(tap, options, folder, limits):
    # The large ones would only take time.
    healthy = [wheel for wheel in (archive(case) for case in CASES if case.code is None) if len(wheel[1]) < 1 << 14]

    def run(number):
        rng = random.Random(f"{options.seed}/{number}")
        name, original = rng.choice(healthy)
        data = edited(rng, original)
        path = os.path.join(folder, f"{number}", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        ending = ask(options.cudald, path, "json", limits)
        faults = list(ending_faults(ending, limits))
        if not faults:
            try:
                findings = json.loads(ending.stdout.decode("utf-8"))["findings"]
            except (ValueError, KeyError) as error:
                faults.append(f"no valid report: {error!r}")
            else:
                complaints = zipfile_complaints(data)
                if complaints and not any(finding["code"] in ARCHIVE_CODES for finding in findings):
                    faults.append(f"no finding, and Python's zipfile refuses it: {complaints[0]}")
        if not faults or not options.keep:
            os.remove(path)
            os.rmdir(os.path.dirname(path))
        return [f"seed {options.seed}, wheel {number} ({name}): {fault}" for fault in faults]

    faults = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for found in pool.map(run, range(options.mutate)):
            faults += found
    tap.ok(not faults, f"{options.mutate} wheels with random edits, seed {options.seed}", first(faults))


if __name__ == "__main__":
    sys.exit(main())
