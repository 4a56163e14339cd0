#!/usr/bin/env python3
"""Asks cudald of wheels that were drawn by lot, each alone, whether they load.

    alone.py PINS... --cudald CUDALD [--cache DIR] [--offline]

PINS are lists as tools/draw-wheels writes them. Each wheel is fetched into the cache and judged by a process of its
own, whose folder is that of the wheels and whose environment has PATH and HOME only. The verdict must be `loads`, but
for the wheels of really-lack.txt, which names the verdict and a finding. Which those are
tests/contract/oracle.py finds by installing and importing: never this answer. Output is TAP; of a disagreement the
verdict, the first line of the text and the first finding. A count of the verdicts by class ends it. A wheel that is not
there is a skip where nothing may be fetched, and a failure else.
"""

import argparse
import collections
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from sample import class_of, file_names, really_lacking  # noqa: E402

sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import WHEELS, fetch_wheels  # noqa: E402
from tap import Tap  # noqa: E402

SECONDS = 120
CLASSES = ("linux", "windows", "aarch64", "musl")


def parse_arguments():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("pins", nargs="+", metavar="PINS")
    words.add_argument("--cudald", required=True)
    words.add_argument("--cache", default=WHEELS, metavar="DIR", help="the folder of the wheels")
    words.add_argument("--offline", action="store_true", help="fetch nothing")
    options = words.parse_args()
    options.cudald = os.path.abspath(options.cudald)
    options.cache = os.path.abspath(options.cache)
    options.offline = options.offline or "CUDALD_OFFLINE" in os.environ
    return options


def run(options, *words):
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [options.cudald, *words], check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True,
        errors="replace", cwd=options.cache, env=environment, timeout=SECONDS,
    )


def judgement(options, wheel):
    """The verdict and the findings."""
    done = run(options, "-f", "json", wheel)
    try:
        answer = json.loads(done.stdout)
        return answer["verdict"], answer["findings"]
    except (ValueError, KeyError):
        raise ValueError(f"exit status {done.returncode}, no report: {done.stderr.strip()[-300:]}") from None


def headline(options, wheel):
    done = run(options, wheel)
    return next((line for line in (done.stdout + done.stderr).splitlines() if line.strip()), "(no text)")


def agrees(expected, verdict, findings):
    wanted, *finding = expected
    return verdict == wanted and (not finding or finding in [[one["code"], one["subject"]] for one in findings])


def judge(tap, options, wheel, expected):
    """One test point; returns the verdict."""
    try:
        verdict, findings = judgement(options, wheel)
        details = []
        if not agrees(expected, verdict, findings):
            details = [f"verdict {verdict}, expected {' '.join(expected)}", headline(options, wheel)]
            details += [f"{finding['level']} {finding['code']}: {finding['message']}" for finding in findings[:1]]
    except (ValueError, subprocess.TimeoutExpired) as error:
        verdict, details = "no answer", [str(error)]
    tap.ok(not details, f"{wheel}: {verdict}", details)
    return verdict


def fault_of_fetching(options, pins):
    """Tries to have all the wheels of one list; what is missing then is seen by its absence."""
    return fetch_wheels(["*.whl"], options.offline, os.path.abspath(pins), options.cache)


def main():
    options = parse_arguments()
    tap = Tap()
    if not os.access(options.cudald, os.X_OK):
        tap.bail_out(f"{options.cudald} is not a program")
    faults = [fault for fault in (fault_of_fetching(options, pins) for pins in options.pins) if fault]
    expected = really_lacking()
    counts = collections.Counter()
    for wheel in sorted(file_names(options.pins), key=lambda name: CLASSES.index(class_of(name))):
        if os.path.exists(os.path.join(options.cache, wheel)):
            counts[class_of(wheel), judge(tap, options, wheel, expected.get(wheel, ("loads",)))] += 1
        elif options.offline:
            tap.skip(wheel, "it is not in the cache")
        else:
            tap.ok(False, f"{wheel}: could not be fetched", faults)
    for kind in CLASSES:
        of_kind = [f"{count} {verdict}" for (other, verdict), count in sorted(counts.items()) if other == kind]
        tap.comment(f"{kind}: {', '.join(of_kind) or 'none'}")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
