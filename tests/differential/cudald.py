"""Runs cudald, and reads from its JSON what the differential tests compare."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field

# cudald must not see the caller's LD_LIBRARY_PATH and the like; --env gives it what a test means.
CLEAN_ENV = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}


class CudaldProblem(Exception):
    """cudald did not give a report."""


@dataclass
class Report:
    """One JSON document. All paths are real paths, as in `real_loader.Start`."""

    given: str
    verdict: str
    errors: list  # what the loader says to each target, or None
    objects: list = field(default_factory=list)
    pairs: set = field(default_factory=set)  # (requester, needed name, path or None)
    missing_symbols: set = field(default_factory=set)  # (object, name, version or None)
    version_errors: set = field(default_factory=set)  # (requester, version)
    version_warnings: set = field(default_factory=set)  # requesters
    bindings: set = None  # (object, name, version or None, definer); None where the report has none
    codes: set = field(default_factory=set)

    @property
    def error(self):
        """The line by which the start ends, or None."""
        return self.errors[0]


def read_report(document):
    """The comparable part of a report.

    A finding CUD202 has the requester as `object` and the version as `subject`; its level is
    `error` where the start fails, and less where the file defines no versions at all.
    """
    targets = document["targets"]
    report = Report(targets[0]["given"], document["verdict"], [target["error"] for target in targets])
    by_id = {o["id"]: o for o in document["objects"]}
    # What is only loaded on use is no part of the start.
    mapped = [o for o in document["objects"] if o.get("mapped", True)]
    report.objects = [o["path"] for o in mapped]
    for object_ in mapped:
        for needed in object_["needed"]:
            if needed["kind"] in ("needed", "filter", "auxiliary"):
                answer = by_id[needed["object"]]["path"] if needed["object"] is not None else None
                report.pairs.add((object_["path"], needed["name"], answer))
    symbols = document.get("symbols") or {}
    for symbol in symbols.get("missing", []):
        if not symbol["weak"]:
            report.missing_symbols.add((by_id[symbol["object"]]["path"], symbol["name"], symbol["version"]))
    if "bindings" in symbols:
        report.bindings = {
            (by_id[b["object"]]["path"], b["name"], b["version"], by_id[b["definer"]]["path"])
            for b in symbols["bindings"]
            if b["definer"] is not None
        }
    for finding in document["findings"]:
        report.codes.add(finding["code"])
        if finding["code"] == "CUD202":
            requester = by_id[finding["object"]]["path"]
            if finding["level"] == "error":
                report.version_errors.add((requester, finding["subject"]))
            else:
                report.version_warnings.add(requester)
    return report


def parse_report(text):
    try:
        return read_report(json.loads(text))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise CudaldProblem(f"no report: {error!r} in {text[:300]!r}") from error


def explain_many(cudald, targets, *options, cwd="/"):
    """Yields a Report for each target, each judged in a process of its own, by one run of cudald."""
    # Text of a file name may stand for bytes that are not UTF-8 (surrogateescape): write those bytes.
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stderr:
        stdin.write(b"".join(os.fsencode(target) + b"\n" for target in targets))
        stdin.seek(0)
        run = subprocess.Popen(
            [os.path.abspath(cudald), "explain", "--separately", "-f", "ndjson", *options, "-"],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=CLEAN_ENV,
            cwd=cwd,
        )
        with run.stdout:
            for line in run.stdout:
                yield parse_report(line)
        status = run.wait()
        stderr.seek(0)
        complaint = stderr.read().decode(errors="replace")
    if status not in (0, 1, 3):
        raise CudaldProblem(f"exit status {status}: {complaint[-2000:]}")


def explain(cudald, targets, *options, cwd="/", timeout=60):
    """The Report for one process, and its exit status."""
    run = subprocess.run(
        [os.path.abspath(cudald), "explain", "-f", "json", *options, *targets],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=CLEAN_ENV,
        cwd=cwd,
        timeout=timeout,
    )
    if run.returncode not in (0, 1, 3):
        raise CudaldProblem(f"exit status {run.returncode}: {run.stderr.decode(errors='replace')[-2000:]}")
    return parse_report(run.stdout), run.returncode
