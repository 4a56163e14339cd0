#!/usr/bin/env python3
"""Compares cudald's symbols with what `ldd -r` and the loader's own binding say.

    symbols.py CUDALD [--sample N] [--jobs N]

Three parts: N real files of this system (300), chosen to be of many kinds; programs built here
that are broken in known ways; and, for those and some real programs, which file each symbol is
bound to. Only the programs built here are ever started. Output is TAP.
"""

import argparse
import concurrent.futures
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import broken_programs  # noqa: E402
import cudald  # noqa: E402
import elf_file  # noqa: E402
from real_loader import LD_SO, LoaderProblem, RealLoader, loader_for  # noqa: E402
from system_files import DIRECTORIES, find_elves  # noqa: E402
from tap import Tap, first  # noqa: E402

BINDING_PROGRAMS = 20
NATIVE = LD_SO[64, elf_file.EM_X86_64]
# Lines that the loader prints and then goes on.
WARNINGS = (": no version information available (required by ", ": weak version `")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--sample", type=int, default=300, metavar="N")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()

    tap = Tap()
    elves, _ = find_elves(DIRECTORIES + sorted(glob.glob("/usr/local/cuda*")))
    chosen = choose(elves, options.sample)
    if not chosen:
        tap.bail_out("no dynamic ELF file in this system's folders")
    compare_system_files(tap, options, chosen, elves)
    compare_bindings_of_programs(tap, options, elves)
    if shutil.which("gcc") and shutil.which("g++"):
        compare_broken_programs(tap, options)
    else:
        tap.ok(False, "gcc and g++ are there to build the broken programs")
    return tap.finish()


def kind(path, elf):
    """A rough sort of file, so that a sample holds all sorts."""
    name = os.path.basename(path)
    if "/cuda" in path:
        return "CUDA"
    if ".cpython-" in name or "/lib-dynload/" in path:
        return "Python extension"
    if "/perl" in path and "/auto/" in path:
        return "Perl extension"
    if "/gcc/" in path or "/bfd-plugins/" in path:
        return "compiler plugin"
    if "/jvm/" in path:
        return "Java library"
    if elf.interp:
        return "program"
    if "libstdc++.so.6" in elf.needed:
        return "C++ library"
    if ".so" not in name or os.path.dirname(path).count("/") > 3:
        return "plugin"
    return "C library"


def path_hash(path):
    return hashlib.sha256(os.fsencode(path)).digest()


def choose(elves, count):
    """`count` paths, the same in every run, taken in turn from each kind."""
    kinds = {}
    for path, elf in elves.items():
        # A file of separate debug information has an empty dynamic section: nothing to bind.
        if elf.dynamic:
            kinds.setdefault(kind(path, elf), []).append(path)
    queues = [sorted(paths, key=path_hash) for _, paths in sorted(kinds.items())]
    chosen = []
    while len(chosen) < count and any(queues):
        for queue in queues:
            if queue and len(chosen) < count:
                chosen.append(queue.pop(0))
    return sorted(chosen)


def compare_system_files(tap, options, paths, elves):
    try:
        reports = {r.given: r for r in cudald.explain_many(options.cudald, paths, "--symbols", "all")}
    except (OSError, cudald.CudaldProblem) as error:
        tap.bail_out(f"cudald: {error}")

    loader = RealLoader()
    answers, no_answer = {}, []

    def ask(path):
        ld_so = loader_for(elves[path])
        return loader.symbols(path, ld_so), bool(loader.trace(path, ld_so).missing)

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, answer in [(path, pool.submit(ask, path)) for path in paths]:
            try:
                answers[path] = answer.result()
            except (LoaderProblem, OSError, ValueError, subprocess.TimeoutExpired) as error:
                no_answer.append(f"{path}: {error}")

    without_report = [path for path in answers if path not in reports]
    complete, incomplete, errors, warnings = [], [], [], []
    symbol_count = with_missing = 0
    for path, (symbols, misses_library) in answers.items():
        if path not in reports:
            continue
        report = reports[path]
        symbol_count += len(symbols.missing)
        with_missing += bool(symbols.missing)
        if misses_library:
            # Where a file is missing, the trace forgets some of the versions that were wanted from it.
            wanted, given = (without_versions(s) for s in (symbols.missing, report.missing_symbols))
            incomplete += set_difference(wanted, given, f"{path}: ")
        else:
            complete += set_difference(symbols.missing, report.missing_symbols, f"{path}: ")
        errors += set_difference(symbols.version_errors, report.version_errors, f"{path}: ")
        warnings += set_difference(symbols.version_warnings, report.version_warnings, f"{path}: ")

    kinds = sorted({kind(path, elves[path]) for path in answers})
    tap.ok(len(answers) > 0, f"{len(answers)} real files are compared: {', '.join(kinds)}")
    tap.ok(not no_answer, "the loader answers for every chosen file", first(no_answer))
    tap.ok(not without_report, "every chosen file has a report", first(without_report))
    # Were nothing missing anywhere, equal sets would prove nothing.
    tap.ok(symbol_count > 0, f"the sample has {symbol_count} missing symbols, in {with_missing} files")
    tap.ok(not complete, "real files with all their libraries: missing symbols are equal", first(complete))
    tap.ok(not incomplete, "real files that miss a library: missing symbols are equal", first(incomplete))
    tap.ok(not errors, "real files: missing versions are equal", first(errors))
    tap.ok(not warnings, "real files: wanted versions in files without any are equal", first(warnings))


def without_versions(symbols):
    return {(object_, name) for object_, name, _ in symbols}


def compare_bindings_of_programs(tap, options, elves):
    programs = [p for p, e in elves.items() if e.interp and e.bits == 64 and len(e.needed) > 1]
    for path in sorted(programs, key=path_hash)[:BINDING_PROGRAMS]:
        count = "no"
        try:
            symbols = RealLoader().symbols(path, NATIVE, bindings=True)
            count = len(symbols.bindings)
            report, _ = cudald.explain(options.cudald, [path], "--symbols", "all", "--bindings")
            differences = binding_differences(symbols, report)
        except (LoaderProblem, cudald.CudaldProblem, subprocess.TimeoutExpired) as error:
            differences = [error]
        tap.ok(not differences, f"{path}: {count} symbols are bound to the same files", first(differences))


def binding_differences(symbols, report):
    if report.bindings is None:
        return ["the report has no bindings"]
    # The trace does not relocate the loader itself.
    loader = os.path.realpath(NATIVE)
    wanted = {binding for binding in symbols.bindings if binding[0] != loader}
    given = {binding for binding in report.bindings if binding[0] != loader}
    if not wanted:
        return ["the loader bound nothing, so there is nothing to compare"]
    return set_difference(wanted, given, "bound: ")


def compare_broken_programs(tap, options):
    with tempfile.TemporaryDirectory() as folder:
        for case in broken_programs.CASES:
            program = case(broken_programs.Builder(os.path.join(folder, case.__name__)))
            try:
                differences = broken_program_differences(options, program)
            except (LoaderProblem, cudald.CudaldProblem, subprocess.TimeoutExpired) as error:
                differences = [error]
            tap.ok(not differences, "built here: " + case.__name__.replace("_", " "), first(differences))


def broken_program_differences(options, program):
    """What `ldd -r` finds, what is bound to what, and how a real start ends, lazily and with LD_BIND_NOW."""
    symbols = RealLoader().symbols(program, NATIVE, bindings=True)
    report, _ = cudald.explain(options.cudald, [program], "--symbols", "all", "--bindings")
    differences = set_difference(symbols.version_errors, report.version_errors, "missing version: ")
    differences += set_difference(
        symbols.version_warnings, report.version_warnings, "versions of a file without any: "
    )
    if symbols.inconsistency is None:
        differences += set_difference(symbols.missing, report.missing_symbols, "missing: ")
        differences += binding_differences(symbols, report)

    for mode, env in (("lazily", {}), ("with LD_BIND_NOW", {"LD_BIND_NOW": "1"})):
        wanted = start_error(program, env)
        arguments = [a for k, v in env.items() for a in ("--env", f"{k}={v}")]
        report, _ = cudald.explain(options.cudald, [program], "--symbols", "all", *arguments)
        if not same_error(wanted, report.error):
            differences.append(f"a start {mode}: loader {wanted!r}, cudald {report.error!r}")
        if wanted is not None and report.verdict != "fails":
            differences.append(f"a start {mode} fails, the verdict is {report.verdict}")
        if wanted is None and not symbols.missing and report.verdict == "fails":
            differences.append(f"a start {mode} works with all symbols, the verdict is {report.verdict}")
    return differences


def start_error(program, env):
    """The first line that a real start ends with, without the program's name in front; None if it runs."""
    run = subprocess.run([program], env=env, capture_output=True, text=True, timeout=60)
    if run.returncode == 0:
        return None
    lines = [line for line in run.stderr.splitlines() if not any(w in line for w in WARNINGS)]
    if not lines:
        raise LoaderProblem(f"{program}: exit status {run.returncode} without a word")
    return lines[0].removeprefix(program + ": ").removeprefix("error while loading shared libraries: ")


def same_error(wanted, given):
    if wanted and given and wanted.startswith("Inconsistency detected by ld.so: "):
        # A failed assertion names a source line, and that differs from release to release.
        return given.startswith("Inconsistency detected by ld.so: ")
    return wanted == given


def set_difference(wanted, given, prefix):
    """One line for each element that only one side has."""
    sides = (
        (element, "loader" if element in wanted else "cudald") for element in sorted(wanted ^ given, key=repr)
    )
    return [f"{prefix}only {side}: {element}" for element, side in sides]


if __name__ == "__main__":
    sys.exit(main())
