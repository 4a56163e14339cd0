#!/usr/bin/env python3
"""Compares cudald with the real loader over the dynamic ELF files of this system.

    system_files.py CUDALD [--sample N] [--jobs N] [--root ROOT] [DIR...]

Without DIR: the bin, sbin, lib and libexec folders, and the CUDA toolkits below /usr/local.
For every file: who needs what and which file answers, the load order, what is missing, and
the line by which the real start would end. Nothing of the files runs. Output is TAP.

--root compares the files of another root file system, whose loader is started in it (chroot, as root); that of
another processor where the kernel gives its programs to QEMU (Debian: qemu-user-static and binfmt-support).
"""

import argparse
import collections
import contextlib
import glob
import hashlib
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import cudald  # noqa: E402
import elf_file  # noqa: E402
from elf_file import ElfFile  # noqa: E402
from real_loader import LoaderProblem, RealLoader, can_run, loader_for  # noqa: E402
from tap import Tap, first  # noqa: E402

DIRECTORIES = [
    *("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libexec"),
    *("/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec"),
    *("/usr/local/bin", "/usr/local/sbin", "/usr/local/lib", "/usr/local/libexec"),
]
LARGEST = 20  # so many of the largest closures are in every sample


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("directories", nargs="*", metavar="DIR")
    parser.add_argument("--sample", type=int, metavar="N", help="only N files, always the same ones")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--root", metavar="ROOT", help="compare the files of another root file system")
    options = parser.parse_args()

    tap = Tap()
    with inside(options.root):
        directories = options.directories or DIRECTORIES + sorted(glob.glob("/usr/local/cuda*"))
        elves, left_out = find_elves(directories)
    if options.sample is not None:
        chosen = sample(elves, options.sample)
        left_out["not in the sample"] = len(elves) - len(chosen)
        elves = chosen
    if not elves:
        tap.bail_out(f"no dynamic ELF file below {' '.join(directories)}")

    started = time.monotonic()
    try:
        targets = sorted(elves)
        of_root = ["--sysroot", os.path.abspath(options.root)] if options.root else []
        reports = {r.given: r for r in cudald.explain_many(options.cudald, targets, "--symbols", "none", *of_root)}
    except (OSError, cudald.CudaldProblem) as error:
        tap.bail_out(f"cudald: {error}")
    cudald_seconds = time.monotonic() - started

    started = time.monotonic()
    with inside(options.root):
        starts, no_answer = ask_loader(elves, options.jobs)
    loader_seconds = time.monotonic() - started
    tap.ok(not no_answer, "the loader gives an answer for every file", first(no_answer))
    compare(tap, starts, reports)
    tap.comment(f"cudald took {cudald_seconds:.1f} s, the loader {loader_seconds:.1f} s")
    reasons = ", ".join(f"{count} {reason}" for reason, count in left_out.most_common())
    tap.comment(f"compared {len(starts)} files, {sum(left_out.values())} left out ({reasons or 'none'})")
    return tap.finish()


@contextlib.contextmanager
def inside(root):
    """With that directory as the root of the file system, if one is named."""
    if not root:
        yield
        return
    outside, folder = os.open("/", os.O_RDONLY | os.O_DIRECTORY), os.getcwd()
    os.chroot(root)
    os.chdir("/")
    try:
        yield
    finally:
        os.fchdir(outside)
        os.chroot(".")
        os.chdir(folder)
        os.close(outside)


def find_elves(directories):
    """Path -> ElfFile of all dynamic ELF files, each inode once; and how many others, by reason."""
    elves, left_out, seen, runnable = {}, collections.Counter(), set(), {}
    for path in regular_files(directories, seen):
        try:
            with open(path, "rb") as file:
                if file.read(4) != b"\x7fELF":
                    continue
            elf = ElfFile(path)
        except OSError:
            left_out["unreadable"] += 1
            continue
        except ValueError:
            left_out["malformed for the tests' own reader"] += 1
            continue
        reason = why_not(elf, path, runnable)
        if reason:
            left_out[reason] += 1
        else:
            elves[path] = elf
    return elves, left_out


def regular_files(directories, seen):
    roots = sorted({os.path.realpath(d) for d in directories if os.path.isdir(d)})
    for root in roots:
        for folder, subfolders, names in os.walk(root):
            subfolders.sort()
            for name in sorted(names):
                path = os.path.join(folder, name)
                stat = os.lstat(path)
                identity = (stat.st_dev, stat.st_ino)
                if os.path.isfile(path) and not os.path.islink(path) and identity not in seen:
                    seen.add(identity)
                    yield path


def why_not(elf, path, runnable):
    """Why the real loader cannot be asked about a file, or None."""
    if elf.type not in (elf_file.ET_EXEC, elf_file.ET_DYN):
        return "relocatable"
    if elf.segment(elf_file.PT_DYNAMIC) is None:
        return "static"
    loader = loader_for(elf)
    if loader is None:
        return f"for another machine (ELF{elf.bits}, e_machine {elf.machine})"
    if loader not in runnable:
        runnable[loader] = can_run(loader)
    if not runnable[loader]:
        return f"of the {elf.bits}-bit kind, which this kernel does not run"
    if os.path.realpath(loader) == path:
        return "the loader itself"
    if "ld-musl" in (elf.interp or "") or "-linux-musl" in path or any("musl" in n for n in elf.needed):
        return "built for musl"
    if elf.interp is None and (elf.value(elf_file.DT_FLAGS_1) or 0) & elf_file.DF_1_PIE:
        return "static, position-independent"
    if "\n" in path:
        return "with a newline in the path"
    return None


def sample(elves, count):
    """`count` files: those with the largest closures, then by the hash of their path."""
    by_name = {}
    for path in sorted(elves):
        by_name.setdefault(os.path.basename(path), path)
        by_name.setdefault(elves[path].soname, path)
    sizes = {path: closure_size(path, elves, by_name) for path in elves}
    largest = sorted(elves, key=lambda p: (-sizes[p], p))[: min(LARGEST, count)]
    rest = sorted(set(elves) - set(largest), key=lambda p: hashlib.sha256(os.fsencode(p)).digest())
    return {path: elves[path] for path in largest + rest[: count - len(largest)]}


def closure_size(path, elves, by_name):
    # By names alone, without search paths: good enough to know the large ones.
    reached, todo = {path}, [path]
    while todo:
        for name in elves[todo.pop()].needed:
            found = by_name.get(name)
            if found and found not in reached:
                reached.add(found)
                todo.append(found)
    return len(reached)


def ask_loader(elves, jobs):
    """Path -> Start, and a line for each file that the loader gave no answer for."""
    loader = RealLoader()
    starts, no_answer = {}, []

    def ask(path):
        ld_so = loader_for(elves[path])
        start = loader.trace(path, ld_so)
        if start.missing:
            start.error = loader.start_error(path, ld_so)
        return start

    with ThreadPoolExecutor(jobs) as pool:
        asked = {path: pool.submit(ask, path) for path in sorted(elves)}
        for path, answer in asked.items():
            try:
                starts[path] = answer.result()
            except (LoaderProblem, OSError, ValueError, subprocess.TimeoutExpired) as error:
                no_answer.append(f"{path}: {error}")
    return starts, no_answer


def compare(tap, starts, reports):
    without_report, pairs, order, missing, errors = [], [], [], [], []
    with_miss = 0
    for path, start in sorted(starts.items()):
        report = reports.get(path)
        if report is None:
            without_report.append(path)
            continue
        with_miss += bool(start.missing)
        if start.error != report.error:
            errors.append(f"{path}: loader {start.error!r}, cudald {report.error!r}")
        if not start.objects:
            continue  # the trace itself ended early: there is only the error to compare
        for side, (requester, name, answer) in start.pair_differences(report.pairs):
            pairs.append(f"{path}: only {side}: {requester} needs {name} -> {answer}")
        if start.objects != report.objects:
            order.append(f"{path}: {order_difference(start.objects, report.objects)}")
        reported_missing = {(requester, name) for requester, name, answer in report.pairs if answer is None}
        for requester, name in sorted(start.missing ^ reported_missing):
            side = "loader" if (requester, name) in start.missing else "cudald"
            missing.append(f"{path}: only {side}: {requester} misses {name}")

    compared = len(starts) - len(without_report)
    objects = sum(len(start.objects) for start in starts.values())
    pair_count = sum(len(start.pairs) for start in starts.values())
    tap.ok(compared > 0, f"{compared} files are compared, {objects} objects in them")
    tap.ok(not without_report, "every file has a report", first(without_report))
    tap.ok(not pairs, f"{pair_count} pairs of needed name and file are equal", first(pairs))
    tap.ok(not order, "the load orders are equal", first(order))
    tap.ok(not missing, f"what is missing is equal ({with_miss} files miss something)", first(missing))
    tap.ok(not errors, "the lines that end a start are equal", first(errors))


def order_difference(wanted, given):
    for i, (a, b) in enumerate(zip(wanted, given)):
        if a != b:
            return f"object {i}: loader {a}, cudald {b}"
    return f"loader has {len(wanted)} objects, cudald {len(given)}"


if __name__ == "__main__":
    sys.exit(main())
