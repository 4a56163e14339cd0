#!/usr/bin/env python3
"""Compares cudald with the real dlopen on libraries that want static thread-local data.

    static_tls.py CUDALD [--count N] [--seed S] [--only I]

Libraries have thread-local data of drawn sizes and alignments, with the initial-exec model or without, and some need
others. A program that is linked with some of them opens others, with a drawn GLIBC_TUNABLES. Compared is what dlerror
says to each call, up to the first one that finds no room: what such a call gives back depends on how its libraries lay
beside each other, which is not simulated. Output is TAP.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import cudald  # noqa: E402
from tap import Tap, first  # noqa: E402

LIBRARY_SOURCE = """
__thread char few_{number}[{few}] __attribute__((aligned({alignment}){model})) = {{1}};
__thread char many_{number}[{many}] __attribute__((aligned({other_alignment}){model}));
char *address_{number}(void) {{ return few_{number}[0] ? few_{number} : many_{number}; }}
"""

PROGRAM_SOURCE = """
#include <dlfcn.h>
#include <stdio.h>
__thread char own[{size}] __attribute__((aligned({alignment})));
int main(int argc, char **argv) {{
  for (int i = 1; i < argc; ++i) puts(dlopen(argv[i], RTLD_NOW) ? "loaded" : dlerror());
  return own[0];
}}
"""

TUNABLES = [
    "glibc.rtld.optional_static_tls={number}",
    "glibc.rtld.optional_static_tls=0x{number:x}",
    "glibc.rtld.nns={few}",
    "glibc.malloc.check=0:glibc.rtld.optional_static_tls={number}:glibc.rtld.nns={few}",
    "glibc.rtld.optional=1",
    "glibc.rtld.optional_static_tls={number}bytes",
    "glibc.rtld.optional_static_tls= +{number}:glibc.rtld.nns={few}x",
    "glibc.rtld.optional_static_tls=-{few}",
    "glibc.rtld.optional_static_tls=many",
    "glibc.rtld.optional_static_tls=:glibc.rtld.nns=-1",
    "glibc.rtld.optional_static_tls={number}99999999999999999999",
    "glibc.rtld.optional_static_tls=09{number}",
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--count", type=int, default=100, metavar="N")
    parser.add_argument("--seed", default="1", metavar="S")
    parser.add_argument("--only", type=int, metavar="I", help="only process I of this seed")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)  # it is asked in the folder of the libraries
    tap = Tap()
    if not shutil.which("gcc"):
        tap.bail_out("gcc is not there to build libraries")
    with tempfile.TemporaryDirectory() as folder:
        return run(tap, options, os.path.realpath(folder))


def run(tap, options, folder):
    tap.comment(f"seed {options.seed}")
    rng = random.Random(options.seed)
    libraries = [make_library(rng, folder, number) for number in range(24)]
    programs = [make_program(rng, folder, libraries, number) for number in range(8)]
    loaded = refused = 0
    differences, mended = [], []
    for number in range(options.count):
        rng = random.Random(f"{options.seed}/{number}")
        program = rng.choice(programs)
        calls = [f"./{name}" for name in rng.sample(libraries, rng.randint(1, 5))]
        env = {}
        if rng.random() < 0.5:
            pattern = rng.choice(TUNABLES)
            env["GLIBC_TUNABLES"] = pattern.format(number=rng.randint(0, 4000), few=rng.randint(1, 17))
        if options.only not in (None, number):
            continue
        real = up_to_refusal(really(folder, program, calls, env))
        told = up_to_refusal(by_cudald(options.cudald, folder, program, calls, env))
        loaded += real.count("loaded")
        refused += len(real) - real.count("loaded")
        if real != told:
            differences.append(f"process {number}: {env} {program} {calls}: loader {real}, cudald {told}")
        if real[-1] != "loaded" and len(mended) < 40:
            mended += by_fixes(options.cudald, folder, program, calls[: len(real)], env)
    tap.ok(loaded and refused, f"{loaded} calls load something, {refused} find no room")
    tap.ok(not differences, "what dlerror says to each call is equal", first(differences))
    tap.ok(mended and all(mended), f"{sum(mended)} of {len(mended)} commands that are told mend such a call")
    return tap.finish()


def make_library(rng, folder, number):
    alignment, other_alignment = (rng.choice([1, 4, 8, 16, 16, 32, 64, 128]) for _ in range(2))
    source = LIBRARY_SOURCE.format(
        few=rng.randint(1, 100),
        many=rng.choice([1, 50, 200, 500, 800, 1200, 1600, 1700, 2000]) + rng.randint(0, 64),
        alignment=alignment,
        other_alignment=other_alignment,
        model=', tls_model("initial-exec")' if rng.random() < 0.75 else "",
        number=number,
    )
    name = f"lib{number}.so"
    needs = [f"lib{other}.so" for other in range(number) if rng.random() < 0.6 / (number + 1)]
    compile_c(source, folder, "-shared", "-fPIC", "-o", name, *linked(needs))
    return name


def make_program(rng, folder, libraries, number):
    source = PROGRAM_SOURCE.format(size=rng.randint(1, 300), alignment=rng.choice([1, 16, 64, 256]))
    needs = rng.sample(libraries, rng.choice([0, 0, 1, 2, 4]))
    compile_c(source, folder, "-o", f"program{number}", *linked(needs))
    return f"./program{number}"


def linked(needs):
    return ["-Wl,--no-as-needed,-rpath-link,.", *(f"./{name}" for name in needs)]


def compile_c(source, folder, *arguments):
    subprocess.run(["gcc", "-x", "c", "-", "-x", "none", *arguments], input=source, text=True, check=True, cwd=folder)


def up_to_refusal(answers):
    refused = [number for number, answer in enumerate(answers) if answer != "loaded"]
    return answers[: refused[0] + 1] if refused else answers


def really(folder, program, calls, env, before="true"):
    script = f'{before}; exec "$@"'
    done = subprocess.run(
        ["/bin/bash", "-c", script, "bash", program, *calls],
        env=env,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.splitlines()


def by_cudald(path, folder, program, calls, env):
    arguments = [f"--env={name}={value}" for name, value in env.items()]
    for call in calls:
        arguments += ["--dlopen", call]
    report, _ = cudald.explain(path, [program], *arguments, cwd=folder)
    return [error or "loaded" for error in report.errors[1:]]


def by_fixes(path, folder, program, calls, env):
    """Whether the last call, which finds no room, finds some after each command that is told."""
    arguments = [f"--env={name}={value}" for name, value in env.items()]
    for call in calls:
        arguments += ["--dlopen", call]
    done = subprocess.run(
        [path, "explain", "-f", "json", *arguments, program], cwd=folder, capture_output=True, check=False
    )
    for finding in json.loads(done.stdout)["findings"]:
        if finding["code"] == "CUD112":
            for fix in finding["fixes"]:
                yield really(folder, program, calls, env, fix["command"])[-1] == "loaded"


if __name__ == "__main__":
    sys.exit(main())
