#!/usr/bin/env python3
"""Compares cudald with the real dlopen on random trees of tiny libraries.

    random_dlopens.py CUDALD [--count N] [--seed S] [--only I] [--keep DIR] [--jobs N]

The trees are those of random_graphs.py. A real program calls dlopen a few times, itself or from
inside a library that it has loaded before; program and library have a random RPATH or RUNPATH.
Compared are what dlerror says to each call and, where all calls succeed, the order of the objects.
Output is TAP.
"""

import argparse
import collections
import concurrent.futures
import functools
import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import cudald  # noqa: E402
import elf_file  # noqa: E402
import random_graphs  # noqa: E402
from elf_file import DT_RPATH, DT_RUNPATH, DT_STRTAB, ElfFile  # noqa: E402
from tap import Tap, first  # noqa: E402

# Room for a search list, which is written over it.
PLACEHOLDER = "X" * 3000

CALLER_SOURCE = """
#include <dlfcn.h>
void *call_dlopen(const char *name, int flags) { return dlopen(name, flags); }
"""

# Each argument is m or c (who calls: the main program, or the library), and the name.
PROGRAM_SOURCE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
typedef void *(*Dlopen)(const char *, int);
int main(int argc, char **argv) {
  Dlopen from_library = NULL;
  for (int i = 1; i < argc; ++i) {
    const char *name = argv[i] + 1;
    void *handle = argv[i][0] == 'c' ? from_library(name, RTLD_LAZY) : dlopen(name, RTLD_LAZY);
    if (handle) printf("loaded\\n"); else printf("error %s\\n", dlerror());
    if (i == 1 && handle) from_library = (Dlopen)dlsym(handle, "call_dlopen");
  }
  for (struct link_map *map = _r_debug.r_map; map; map = map->l_next) printf("object %s\\n", map->l_name);
  return 0;
}
"""


@dataclass
class Call:
    """The call that loads the library is the first; only it may be named by its path."""

    name: str
    by_library: bool = False


@dataclass
class Graph:
    folder: str
    program: str
    caller: str
    calls: list
    env: dict = field(default_factory=dict)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--count", type=int, default=300, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--only", type=int, metavar="I", help="only graph I of this seed")
    parser.add_argument("--keep", metavar="DIR", help="build the graphs in DIR, and leave them there")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    tap = Tap()
    if not shutil.which("gcc"):
        tap.bail_out("gcc is not there to build the program that calls dlopen")
    if options.keep:
        return run(tap, options, os.path.realpath(options.keep))
    with tempfile.TemporaryDirectory() as root:
        return run(tap, options, os.path.realpath(root))


def run(tap, options, root):
    tap.comment(f"seed {options.seed}")
    samples = os.path.join(root, "samples")
    os.makedirs(samples, exist_ok=True)
    rpath = f"-Wl,--disable-new-dtags,-rpath,{PLACEHOLDER}"
    library = compile_c(
        CALLER_SOURCE,
        os.path.join(samples, "libcaller.so"),
        "-shared",
        "-fPIC",
        "-Wl,-soname,libcaller.so",
        rpath,
    )
    program = compile_c(PROGRAM_SOURCE, os.path.join(samples, "main"), rpath)

    numbers = [options.only] if options.only is not None else range(options.count)
    counts = collections.Counter()
    differences = {"error": [], "order": [], "report": [], "oracle": []}

    # Not threads: a program that one writes while another forks is busy, and cannot be started.
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        judged = pool.map(functools.partial(judge, options, root, program, library), numbers, chunksize=8)
        for number, (graph, (what, found)) in zip(numbers, judged):
            counts.update(what)
            for kind, lines in found.items():
                differences[kind] += [f"graph {number}: {line}" for line in lines]
            if options.keep:
                tap.comment(
                    f"graph {number}: cd {graph.folder}; {graph.env} {' '.join(program_command(graph))}"
                )

    calls = f"{counts['loaded']} calls load something, {counts['refused']} do not"
    tap.ok(counts["loaded"] and (counts["refused"] or len(numbers) < 100), calls)
    tap.ok(not differences["oracle"], "every program ends as it should", first(differences["oracle"]))
    tap.ok(not differences["report"], "cudald gives a report for every graph", first(differences["report"]))
    tap.ok(not differences["error"], "what dlerror says to each call is equal", first(differences["error"]))
    tap.ok(
        not differences["order"],
        f"the orders of {counts['objects']} objects are equal",
        first(differences["order"]),
    )
    return tap.finish()


def judge(options, root, program, library, number):
    folder = os.path.join(root, str(number))
    graph = make_graph(random.Random(f"{options.seed}/{number}"), folder, program, library)
    return graph, compare(options.cudald, graph)


def compile_c(source, out, *flags):
    command = ["gcc", "-x", "c", "-", "-o", out, *flags]
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"gcc: {done.stderr}")
    return out


def make_graph(rng, folder, program, library):
    # No filters: one that names an object loaded before moves it in the list that is shown here.
    names, places = random_graphs.make_libraries(rng, folder, filters=False)
    graph = Graph(
        folder, os.path.join(folder, "bin", "main"), os.path.join(folder, "plugins", "libcaller.so"), []
    )
    for source, target in ((program, graph.program), (library, graph.caller)):
        os.makedirs(os.path.dirname(target))
        shutil.copy(source, target)
        set_search_list(rng, target, folder, places)

    graph.calls.append(Call(graph.caller))
    for _ in range(rng.randint(1, 4)):
        graph.calls.append(Call(name_to_open(rng, folder, names), rng.random() < 0.5))
    if rng.random() < 0.35:
        graph.env["LD_LIBRARY_PATH"] = random_graphs.search_list(rng, folder, separators=":::;")
    return graph


def set_search_list(rng, path, folder, places):
    """Overwrites the placeholder, and its tag: RPATH, RUNPATH or none."""
    elf = ElfFile(path)
    choice = rng.choice(["all", "all", "some", "none"])
    value = (
        random_graphs.everywhere(rng, folder, places)
        if choice == "all"
        else random_graphs.search_list(rng, folder, ":")
    )
    tag = {"none": 0x60000000}.get(choice, rng.choice([DT_RPATH, DT_RUNPATH]))
    with open(path, "r+b") as file:
        file.seek(elf.file_offset(elf.value(DT_STRTAB)) + elf.value(DT_RPATH))
        file.write(value.encode().ljust(len(PLACEHOLDER), b"\0"))
        file.seek(elf.entry_offset(DT_RPATH))
        file.write(tag.to_bytes(8, "little"))


def name_to_open(rng, folder, names):
    name = rng.choice(names)
    place = rng.choice(random_graphs.FOLDERS)
    forms = ["{name}"] * 14 + [
        "{folder}/{place}/{name}",
        "{place}/{name}",
        "./{place}//{name}",
        "$ORIGIN/../{place}/{name}",
        "${{ORIGIN}}/{name}",
        "other-{name}",
        "libcaller.so",
        "libz.so.1",
        "libc.so.6",
        "libnowhere.so",
    ]
    return rng.choice(forms).format(name=name, place=place, folder=folder)


def compare(cudald_path, graph):
    counts, found = collections.Counter(), collections.defaultdict(list)
    try:
        errors, objects = really(graph)
    except (ValueError, OSError, subprocess.TimeoutExpired) as problem:
        found["oracle"].append(str(problem))
        return counts, found
    arguments = ["--symbols", "none", "--cpu", "host"]
    for name, value in graph.env.items():
        arguments += ["--env", f"{name}={value}"]
    for call in graph.calls:
        arguments += ["--dlopen", call.name + ("@libcaller.so" if call.by_library else "")]
    try:
        report, _ = cudald.explain(cudald_path, [graph.program], *arguments, cwd=graph.folder)
    except (cudald.CudaldProblem, subprocess.TimeoutExpired) as problem:
        found["report"].append(str(problem))
        return counts, found

    counts["loaded"] = errors.count(None)
    counts["refused"] = len(errors) - errors.count(None)
    if report.errors != [None, *errors]:
        for call, real, simulated in zip(graph.calls, errors, report.errors[1:]):
            if real != simulated:
                found["error"].append(f"{call}: loader {real!r}, cudald {simulated!r}")
        if not found["error"]:
            found["error"].append(f"loader {errors}, cudald {report.errors}")
    if not counts["refused"]:
        counts["objects"] = len(objects)
        if objects != report.objects:
            found["order"].append(f"loader {objects}, cudald {report.objects}")
    return counts, found


def really(graph):
    """What the real loader answers to each call, and the objects in the order of its list."""
    run = subprocess.run(
        program_command(graph), env=graph.env, cwd=graph.folder, capture_output=True, timeout=60, check=False
    )
    lines = elf_file.text(run.stdout).splitlines()
    if run.returncode != 0:
        raise ValueError(f"exit status {run.returncode}: {run.stderr[:300]!r}")
    errors = [None if line == "loaded" else line[6:] for line in lines if not line.startswith("object ")]
    if len(errors) != len(graph.calls):
        raise ValueError(f"{len(errors)} answers to {len(graph.calls)} calls")
    names = [line[7:] for line in lines if line.startswith("object ")]
    paths = [name or graph.program for name in names if name != "linux-vdso.so.1"]
    return errors, [os.path.realpath(os.path.join(graph.folder, path)) for path in paths]


def program_command(graph):
    return [graph.program] + [("c" if call.by_library else "m") + call.name for call in graph.calls]


if __name__ == "__main__":
    sys.exit(main())
