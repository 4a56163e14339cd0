#!/usr/bin/env python3
"""Compares cudald with the real loader on random trees of tiny libraries.

    random_graphs.py CUDALD [--count N] [--seed S] [--only I] [--keep DIR] [--jobs N]

Each graph is a folder with a program and some libraries of a few hundred bytes: needed in
random order, in cycles, twice, by path; with random RPATH, RUNPATH, SONAME, LD_LIBRARY_PATH
and LD_PRELOAD; the same name in several folders, as symlink, hard link, copy for another
machine, or no library at all. Compared are who needs what from which file, the load order,
and the line by which a start ends. `--only I --keep DIR` leaves graph I for a closer look.
Output is TAP.
"""

import argparse
import collections
import concurrent.futures
import functools
import os
import random
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import cudald  # noqa: E402
import elf_file  # noqa: E402
from elf_writer import write_elf  # noqa: E402
from real_loader import LD_SO, LoaderProblem, RealLoader  # noqa: E402
from tap import Tap, first  # noqa: E402

NATIVE = LD_SO[64, elf_file.EM_X86_64]
FOLDERS = ["a", "b", "c", "d"]
# Searched before the folder itself: by the CPU, and up to glibc 2.36 also the old ones.
SPECIAL_FOLDERS = [
    *("glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4"),
    *("tls", "x86_64", "tls/x86_64", "haswell", "avx512_1", "haswell/x86_64", "tls/haswell/x86_64"),
]
FILTEE = "libfiltee.so"
SYSTEM_LIBRARIES = ["libc.so.6", "libm.so.6", "libz.so.1"]
# What may lie under the name of a library, and how often. The last ones end a start.
FILES = {
    "library": 100,
    "symlink": 12,
    "hard link": 4,
    "dangling symlink": 4,
    "looping symlink": 3,
    "wrong class": 6,
    "wrong machine": 4,
    "too short": 0.6,
    "text": 0.6,
    "folder": 0.6,
    "program": 0.6,
    "relocatable": 0.6,
}


@dataclass
class Graph:
    """One start: what is in `folder`, and how the program there is started."""

    folder: str
    program: str  # as given on the command line
    by_kernel: bool  # else as an argument of the loader
    env: dict = field(default_factory=dict)
    preload: list = field(default_factory=list)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--count", type=int, default=500, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--only", type=int, metavar="I", help="only graph I of this seed")
    parser.add_argument("--keep", metavar="DIR", help="build the graphs in DIR, and leave them there")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    if options.keep:
        return run(options, os.path.realpath(options.keep))
    with tempfile.TemporaryDirectory() as root:
        return run(options, os.path.realpath(root))


def run(options, root):
    tap = Tap()
    tap.comment(f"seed {options.seed}")
    numbers = [options.only] if options.only is not None else range(options.count)
    counts = collections.Counter()
    differences = {"pairs": [], "order": [], "error": [], "report": [], "oracle": []}

    # Not threads: a program that one writes while another forks is busy, and cannot be started.
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        judged = pool.map(functools.partial(judge, options, root), numbers, chunksize=8)
        for number, (graph, (what, found)) in zip(numbers, judged):
            counts.update(what)
            for kind, lines in found.items():
                differences[kind] += [f"graph {number}: {line}" for line in lines]
            if options.keep:
                tap.comment(f"graph {number}: {command_line(graph)}")

    tap.ok(counts["graphs"] > 0, f"{counts['graphs']} graphs, {counts['objects']} objects loaded in them")
    # Were all graphs alike, equal answers would prove little.
    if len(numbers) >= 100:
        varied = counts["with a miss"] and counts["ended early"] and counts["complete"]
        tap.ok(varied, ", ".join(f"{counts[c]} {c}" for c in ("complete", "with a miss", "ended early")))
    tap.ok(
        not differences["oracle"], "the loader gives an answer for every graph", first(differences["oracle"])
    )
    tap.ok(not differences["report"], "cudald gives a report for every graph", first(differences["report"]))
    pairs = f"{counts['pairs']} pairs of needed name and file are equal"
    tap.ok(not differences["pairs"], pairs, first(differences["pairs"]))
    tap.ok(not differences["order"], "the load orders are equal", first(differences["order"]))
    tap.ok(not differences["error"], "the lines that end a start are equal", first(differences["error"]))
    return tap.finish()


def judge(options, root, number):
    graph = make_graph(random.Random(f"{options.seed}/{number}"), os.path.join(root, str(number)))
    return graph, compare(options.cudald, graph)


# --- making a graph ---------------------------------------------------------------------------


def make_libraries(rng, folder, filters=True):
    """Fills some folders, and returns the names of the libraries and the folders."""
    os.makedirs(folder)
    names = [f"lib{i}.so" + rng.choice(["", "", ".1"]) for i in range(rng.randint(2, 9))]
    places = rng.sample(FOLDERS, rng.randint(1, len(FOLDERS)))
    if rng.random() < 0.25:
        places += [
            os.path.join(rng.choice(places), s) for s in rng.sample(SPECIAL_FOLDERS, rng.randint(1, 4))
        ]
    for place in places:
        os.makedirs(os.path.join(folder, place), exist_ok=True)

    written = []
    write_elf(os.path.join(folder, rng.choice(places), FILTEE), soname=FILTEE)
    for name in names:
        for place in rng.sample(places, rng.randint(1, len(places))):
            put_file(rng, folder, names, os.path.join(folder, place, name), written, filters)
    return names, places


def make_graph(rng, folder):
    names, places = make_libraries(rng, folder)
    by_kernel = rng.random() < 0.7
    path = os.path.join(folder, "bin", "main")
    # No filter: it would go before the program in the loader's list, and the trace does not show it.
    content = contents(rng, folder, names, "main", rng.randint(1, 4), filters=False)
    if rng.random() < 0.75:
        content[rng.choice(["rpath", "rpath", "runpath"])] = everywhere(rng, folder, places)
    write_elf(path, program=by_kernel, **content)
    if rng.random() < 0.2:
        link = os.path.join(folder, rng.choice(["main-link", "a-main-link", "links/main"]))
        os.makedirs(os.path.dirname(link), exist_ok=True)
        os.symlink(rng.choice([path, os.path.relpath(path, os.path.dirname(link))]), link)
        path = link
    if rng.random() < 0.2:
        path = "./" + os.path.relpath(path, folder)

    graph = Graph(folder, path, by_kernel)
    if rng.random() < 0.45:
        graph.env["LD_LIBRARY_PATH"] = search_list(rng, folder, separators=":::;")
    if rng.random() < 0.2:
        preloads = [
            rng.choice([n, os.path.join(folder, rng.choice(places), n)]) for n in rng.sample(names, 2)
        ]
        graph.env["LD_PRELOAD"] = rng.choice(" :").join(preloads[: rng.randint(1, 2)])
    return graph


def put_file(rng, folder, names, path, written, filters):
    kind = rng.choices(list(FILES), list(FILES.values()))[0]
    if kind in ("symlink", "hard link") and not written:
        kind = "library"
    content = contents(rng, folder, names, os.path.basename(path), rng.choice([0, 1, 1, 2, 2, 3]), filters)
    if kind == "library":
        write_elf(path, **content)
        written.append(path)
    elif kind == "symlink":
        target = rng.choice(written)
        os.symlink(rng.choice([target, os.path.relpath(target, os.path.dirname(path))]), path)
    elif kind == "hard link":
        os.link(rng.choice(written), path)
    elif kind == "dangling symlink":
        os.symlink("nowhere", path)
    elif kind == "looping symlink":
        os.symlink(os.path.basename(path), path)
    elif kind == "wrong class":
        write_elf(path, bits=32, machine=elf_file.EM_386, **content)
    elif kind == "wrong machine":
        write_elf(path, machine=elf_file.EM_AARCH64, **content)
    elif kind == "too short":
        write_bytes(path, b"version https://git-lfs")
    elif kind == "text":
        write_bytes(path, b"/* GNU ld script */ GROUP ( libx.so AS_NEEDED ( liby.so ) )".ljust(100))
    elif kind == "folder":
        os.mkdir(path)
    elif kind == "program":
        write_elf(path, type_=elf_file.ET_EXEC, **content)
    elif kind == "relocatable":
        write_elf(path, type_=elf_file.ET_REL, **content)


def write_bytes(path, data):
    with open(path, "wb") as file:
        file.write(data)


def contents(rng, folder, names, own_name, needs, filters):
    """The arguments of elf_writer for one object."""
    content = {"needed": [needed_name(rng, folder, names) for _ in range(needs)]}
    if rng.random() < 0.03:
        content["needed"].append(own_name)
    if rng.random() < 0.5:
        content["soname"] = rng.choice([own_name, own_name, rng.choice(names), "other-" + own_name])
    tags = rng.choices([(), ("rpath",), ("runpath",), ("rpath", "runpath")], [45, 25, 25, 5])[0]
    for tag in tags:
        content[tag] = search_list(rng, folder, separators=":")
    if rng.random() < 0.05:
        content["flags_1"] = elf_file.DF_1_NODEFLIB
    if filters and rng.random() < 0.04:
        # Of a library that needs nothing: in a cycle with filters the loader itself hangs or crashes.
        content[rng.choice(["filters", "auxiliaries"])] = [FILTEE]
    return content


def needed_name(rng, folder, names):
    name = rng.choice(names)
    sort = rng.random()
    if sort < 0.88:
        return name
    if sort < 0.94:
        return rng.choice(SYSTEM_LIBRARIES)
    if sort < 0.95:
        return "libnowhere.so"
    place = rng.choice(FOLDERS)
    forms = [
        "{folder}/{place}/{name}",
        "./{place}/{name}",
        "{place}//{name}",
        "$ORIGIN/{name}",
        "${{ORIGIN}}/../{place}/{name}",
    ]
    return rng.choice(forms).format(folder=folder, place=place, name=name)


def everywhere(rng, folder, places):
    """A search list with all the folders: by chance alone most programs would find nothing."""
    elements = [rng.choice([f"{folder}/{place}", f"$ORIGIN/../{place}"]) for place in places]
    return ":".join(rng.sample(elements, len(elements)))


def search_list(rng, folder, separators):
    elements = [search_element(rng, folder) for _ in range(rng.choice([1, 1, 2, 2, 3, 4]))]
    joined = elements[0]
    for element in elements[1:]:
        joined += rng.choice(separators) + element
    return joined


def search_element(rng, folder):
    place = rng.choice(FOLDERS)
    return rng.choice(
        [
            *[f"{folder}/{place}"] * 12,
            *["$ORIGIN"] * 4,
            *[f"$ORIGIN/../{place}"] * 12,
            "${ORIGIN}",
            f"${{ORIGIN}}/../{place}/",
            f"{folder}/{place}///",
            f"{folder}/./{place}",
            place,
            f"./{place}",
            "",
            ".",
            "/",
            f"{folder}/nowhere",
            f"{folder}/bin/main",
            f"{folder}/$LIB",
            f"{folder}/$PLATFORM",
            f"$UNKNOWN/{place}",
            f"$ORIGINAL/../{place}",
            f"{folder}/$ORIGIN",
            f"{folder}/{place};{folder}/a",
        ]
    )


# --- judging it ---------------------------------------------------------------------------------


def compare(cudald_path, graph):
    """Counts of what the graph is, and lines of differences by kind."""
    counts, found = collections.Counter(graphs=1), collections.defaultdict(list)
    loader = RealLoader(graph.env, graph.folder)
    try:
        start = loader.trace(graph.program, None if graph.by_kernel else NATIVE)
        error = kernel_start_error(graph) if graph.by_kernel else loader.start_error(graph.program, NATIVE)
    except (LoaderProblem, OSError, ValueError, subprocess.TimeoutExpired) as problem:
        found["oracle"].append(str(problem))
        return counts, found
    try:
        report, _ = cudald.explain(cudald_path, [graph.program], *cudald_options(graph), cwd=graph.folder)
    except (cudald.CudaldProblem, subprocess.TimeoutExpired) as problem:
        found["report"].append(str(problem))
        return counts, found

    if error != report.error:
        found["error"].append(f"loader {error!r}, cudald {report.error!r}")
    if not start.objects:
        counts["ended early"] += 1  # the trace ends at the same place: there is no list to compare
        return counts, found
    counts["with a miss" if start.missing else "complete"] += 1
    counts["objects"] += len(start.objects)
    counts["pairs"] += len(start.pairs)
    for side, (requester, name, answer) in start.pair_differences(report.pairs):
        found["pairs"].append(f"only {side}: {requester} needs {name!r} -> {answer}")
    if start.objects != report.objects:
        found["order"].append(f"loader {start.objects}, cudald {report.objects}")
    return counts, found


def kernel_start_error(graph):
    """Starts the program, which only exits, and reads the line by which the loader ended it."""
    run = subprocess.run(
        [graph.program], env=graph.env, cwd=graph.folder, capture_output=True, timeout=60, check=False
    )
    if run.returncode == 0:
        return None
    lines = elf_file.text(run.stderr).splitlines()
    fatal = [line for line in lines if "from LD_PRELOAD cannot be preloaded" not in line]
    if not fatal:
        raise LoaderProblem(f"exit status {run.returncode} without a word")
    return fatal[0].removeprefix(graph.program + ": ").removeprefix("error while loading shared libraries: ")


def cudald_options(graph):
    options = ["--symbols", "none", "--cpu", "host"]
    for name, value in graph.env.items():
        options += ["--env", f"{name}={value}"]
    return options


def command_line(graph):
    env = [f"{name}={value}" for name, value in graph.env.items()]
    start = [graph.program] if graph.by_kernel else [NATIVE, graph.program]
    return f"cd {shlex.quote(graph.folder)} && " + shlex.join(
        ["env", "LD_TRACE_LOADED_OBJECTS=1", *env, *start]
    )


if __name__ == "__main__":
    sys.exit(main())
