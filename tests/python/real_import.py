#!/usr/bin/env python3
"""Compares what `import NAME` is predicted to ask of the dynamic loader with what a real Python asks.

real_import.py --plan PLAN_IMPORT --rules RULES --prefix VENV [--verbose] NAME[=FOLDER[:FOLDER...]] ...

Each NAME is imported by VENV's Python with LD_DEBUG=files, with the FOLDERs on PYTHONPATH. The requests that Python
itself makes ("dynamically loaded by" libpython, the program or _ctypes) are held against the list that PLAN_IMPORT
prints: which are missing, which are too many, and whether those in both come in the same order. A repeated request for
the same name counts once. Exit status 1 if anything differs, 2 if a real import fails or a folder is not there.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
import time

REQUEST = re.compile(r"file=(.+) \[0\];  dynamically loaded by (.+) \[0\]$")


def environment(folders):
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "LD_"))}
    kept.update(PYTHONPATH=":".join(folders), PYTHONDONTWRITEBYTECODE="1", PYTHONNOUSERSITE="1")
    return kept


def once(names):
    return list(dict.fromkeys(names))


def asked_by_python(caller):
    name = os.path.basename(caller)
    return name.startswith(("libpython", "python", "_ctypes."))


def real_requests(python, module, folders):
    """The requests in their order, those of other libraries apart, and the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        variables = dict(environment(folders), LD_DEBUG="files", LD_DEBUG_OUTPUT=log)
        start = time.monotonic()
        process = subprocess.Popen([python, "-c", f"import {module}"], env=variables, cwd=folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        error = process.communicate()[1].decode(errors="replace")
        seconds = time.monotonic() - start
        if process.returncode != 0:
            raise RuntimeError(f"import {module} fails: {error.strip().splitlines()[-1:] or process.returncode}")
        own, others = [], []
        with open(f"{log}.{process.pid}", encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                match = REQUEST.search(line.rstrip("\n"))
                if match:
                    (own if asked_by_python(match[2]) else others).append(match[1])
    return once(own), once(others), seconds


def planned_requests(plan, rules, prefix, module, folders):
    start = time.monotonic()
    done = subprocess.run([plan, rules, prefix, module], env=environment(folders), stdout=subprocess.PIPE, check=False)
    seconds = time.monotonic() - start
    if done.returncode not in (0, 1):
        raise RuntimeError(f"plan_import ends with status {done.returncode}")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return lines[1:-1], lines[-1], seconds


def short(name):
    parts = name.split("/")
    return "/".join(parts[-3:])


def compare(arguments, module, folders):
    for folder in folders:
        if not os.path.isdir(folder):
            raise RuntimeError(f"no folder {folder}")
    python = os.path.join(arguments.prefix, "bin", "python")
    real, others, real_seconds = real_requests(python, module, folders)
    steps, summary, plan_seconds = planned_requests(arguments.plan, arguments.rules, arguments.prefix, module, folders)
    planned = once(step["load"] for step in steps)
    missing = [name for name in real if name not in planned]
    extra = [name for name in planned if name not in real]
    common = [name for name in real if name in planned], [name for name in planned if name in real]
    in_order = sum(block.size for block in difflib.SequenceMatcher(None, *common, autojunk=False).get_matching_blocks())
    outside = [name for name in real if "/lib-dynload/" not in name]
    print(f"{module:14} real {len(real):4} ({len(outside):3} outside of lib-dynload)  missing {len(missing):3} "
          f"({sum('/lib-dynload/' not in n for n in missing)})  extra {len(extra):3} "
          f"({sum('/lib-dynload/' not in n for n in extra)})  in order {in_order}/{len(common[0])}  "
          f"by other libraries {len(others)}  modules {len(summary.get('modules', []))}  "
          f"{real_seconds:.2f} s real, {plan_seconds:.2f} s planned"
          + ("" if summary["imported"] else f"  NOT IMPORTED: {summary['error']}"))
    if arguments.verbose:
        from_step = {step["load"]: step for step in steps}
        for name in missing:
            before = real[real.index(name) - 1] if real.index(name) else "the start"
            print(f"    missing {short(name)} (after {short(before)})")
        for name in extra:
            step = from_step[name]
            print(f"    extra   {short(name)} (module {step['module']}, {step['source']}:{step['line']}, {step['basis']})")
        for name, source, line, required in summary.get("missing", []):
            print(f"    no module {name} ({source}:{line}{', required' if required else ''})")
    return not missing and not extra and summary["imported"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plan", required=True)
    parser.add_argument("--rules", required=True)
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("imports", nargs="+", metavar="NAME[=FOLDER...]")
    arguments = parser.parse_args()
    status = 0
    for item in arguments.imports:
        module, _, folders = item.partition("=")
        try:
            if not compare(arguments, module, [folder for folder in folders.split(":") if folder]):
                status = max(status, 1)
        except (OSError, RuntimeError) as error:
            print(f"{module:14} {error}")
            status = 2
    return status


if __name__ == "__main__":
    sys.exit(main())
