#!/usr/bin/env python3
"""Repeats the proofs of the rows in data/: what the tables tell as facts must follow from what was read.

    knowledge_rows.py [--full | --pin | --deleted]

Rows of wheels are made anew, by tools/refresh-knowledge, from what pinned-facts.json holds of some projects: every
release of each, its libraries and what its members say. --full reads every wheel of every project on the index, as far
as the tables know its release, and without network is a skip. --pin writes, from what refresh-knowledge has below the
cache, pinned-facts.json, and pinned-directories.txt: of each release of each project a digest of the libraries in its
directory, against which the unit tests hold the table. --deleted takes out one row after the other and prints those
that nothing here would miss. Drivers are held against drivers.txt, names against what CuPy's modules need and wheels
carry, architectures against pinned-ptxas.json, the names in ptxas of each release, and a local nvcc. Output is TAP.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.dirname(os.path.dirname(HERE))
PINNED = os.path.join(HERE, "pinned-facts.json")
DIRECTORIES = os.path.join(HERE, "pinned-directories.txt")
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.dont_write_bytecode = True

from tap import Tap  # noqa: E402
from tool_module import tool_module  # noqa: E402

# What is pinned: of each kind of row some projects, those whose folders or names changed among them.
# Of these the build-ids alone.
BUILDS = ["nvidia-cudnn-cu11", "nvidia-cudnn-cu12"]
PROJECTS = ["nvidia-cuda-runtime-cu11", "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime", "nvidia-cuda-nvrtc-cu12",
            "nvidia-cusparselt-cu12", "nvidia-cudnn-cu13", "nvidia-curand-cu11", "nvidia-curand-cu12", "nvidia-curand",
            "nvidia-cusolver-cu11", "nvidia-cusolver-cu12", "nvidia-cusolver", "nvidia-cusparse-cu12",
            "nvidia-cusparse", "nvidia-cublas-cu11", "nvidia-cublas-cu12", "nvidia-cublas", "nvidia-cufft-cu11",
            "nvidia-cufft-cu12", "nvidia-cufft", "nvidia-cusparse-cu11", "nvidia-cuda-nvrtc-cu11", "nvidia-cuda-nvrtc",
            "nvidia-nvjitlink-cu12", "nvidia-nvjitlink", "torch", "tensorflow", "onnxruntime-gpu", "tensorflow-gpu",
            "paddlepaddle-gpu", "jax-cuda12-plugin", "jax-cuda13-plugin", "faiss-gpu", "faiss-gpu-cu11",
            "faiss-gpu-cu12", "vllm", "mxnet-cu80", "mxnet-cu90", "mxnet-cu92", "mxnet-cu100", "mxnet-cu101",
            "mxnet-cu102", "mxnet-cu110", "mxnet-cu112", "cupy-cuda100", "cupy-cuda101",
            "cupy-cuda102", "cupy-cuda110", "cupy-cuda111", "cupy-cuda112"]


refresh = tool_module("refresh-knowledge")


TABLES = {}


def table(name):
    if name not in TABLES:
        with open(os.path.join(PROJECT, "data", name), encoding="utf-8") as text:
            TABLES[name] = json.load(text)
    return TABLES[name]


def pin():
    """project -> platform -> release -> what was read."""
    projects, oldest = refresh.read_projects()
    index = refresh.pypi.Index(refresh.pypi.index_url())
    source = refresh.Wheels(index, False)
    pinned = {}
    for project in PROJECTS + BUILDS:
        wheels_of = refresh.wheels_of(index, project, projects[project], oldest[project])
        for platform, wheels in wheels_of.items():
            for version, filename in wheels:
                facts = dict(source.facts(project, filename, projects[project]))
                if project in BUILDS or platform == "aarch64":
                    del facts["libraries"]
                if "libraries" in facts:
                    facts["libraries"] = [name for name in facts["libraries"] if refresh.LIBRARY[platform].fullmatch(
                        name.rpartition("/")[2])]
                pinned.setdefault(project, {}).setdefault(platform, {})[version] = facts
    lines = [f" {json.dumps(project)}: {json.dumps(platforms)}" for project, platforms in pinned.items()]
    with open(PINNED, "w", encoding="utf-8") as out:
        out.write("{\n" + ",\n".join(lines) + "\n}\n")


def pin_directories():
    """A line for each run of releases that carry the same: project, platform, digest, releases, the oldest first."""
    projects, oldest = refresh.read_projects()
    index = refresh.pypi.Index(refresh.pypi.index_url())
    source = refresh.Wheels(index, False)
    lines = []
    for project, words in projects.items():
        if "libraries" not in words:
            continue
        time.sleep(refresh.PAUSE)
        wheels = refresh.known_wheels(project, refresh.wheels_of(index, project, words, oldest[project]))
        for platform in sorted({"linux", "windows"} & set(wheels)):
            for version, filename in wheels[platform]:
                paths = refresh.library_paths(platform, source.facts(project, filename, words)["libraries"])
                head = f"{project} {platform} {hashlib.sha256(''.join(paths).encode()).hexdigest()[:12]}"
                if lines and lines[-1].startswith(head + " "):
                    lines[-1] += " " + version
                else:
                    lines.append(f"{head} {version}")
    with open(DIRECTORIES, "w", encoding="utf-8") as out:
        out.write("# What each release of a project on the index carries: project, platform, digest, releases (the "
                  "oldest first).\n# Digest: SHA-256 of the libraries' paths below site-packages, sorted, a line feed "
                  "after each.\n# Written by knowledge_rows.py --pin.\n")
        out.write("\n".join(lines) + "\n")


def of_pinned(pinned, project, platform):
    """What refresh-knowledge's functions take: the wheels in order, and facts by wheel."""
    facts = pinned[project][platform]
    return [(version, version) for version in sorted(facts, key=refresh.version_key)], facts


def known_versions(rows):
    return {version for row in rows for version in (row["oldest"], row["version"])}


def check_wheels(tap, pinned):
    projects, _ = refresh.read_projects()
    providers, cuda = table("providers.json")["providers"], table("cuda.json")
    for project, platforms in pinned.items():
        for platform in platforms:
            wheels, facts = of_pinned(pinned, project, platform)
            if project not in BUILDS and platform != "aarch64" and "libraries" in projects[project]:
                made = {(file, json.dumps(row, sort_keys=True))
                        for file, row in refresh.provider_rows(project, platform, wheels, facts)}
                there = {(row["name"], json.dumps(each, sort_keys=True)) for row in providers for each in row["pip"]
                         if each["distribution"] == project and each["platform"] == platform}
                tap.ok(made == there, f"providers: {project} for {platform}, {len(wheels)} releases",
                       sorted(made ^ there))
            for proof in refresh.proofs_of(projects[project]):
                read = [(version, facts[version][proof]) for version, _ in wheels]
                section, made = refresh.PROOFS[proof].rows(project, platform, read)
                there = [refresh.without_pythons(row) for row in cuda[section]["rows"]]
                for row in made:
                    if section == "builds":
                        tap.ok(any(covers(each, row) for each in there), f"builds: {project} {row['first']}", [row])
                    else:
                        tap.ok(row in there, f"{section}: {project} {row['first']} for {platform}", [row])
                if section == "frameworks":
                    facts_there = [row for row in there if row["project"] == project and row["platform"] == platform
                                   and row.get("proof", "") is not None]
                    tap.ok(all(row in made for row in facts_there), f"{section}: {project} for {platform} has no more",
                           [row for row in facts_there if row not in made])


def covers(known, row):
    key = refresh.version_key
    return (known["build_id"] == row["build_id"] and key(known["first"]) <= key(row["first"]) and
            key(row["last"]) <= key(known["last"]))


def seen_names(pinned):
    """(kind, release, platform, name) of what was seen: CuPy's packages are named for a release, NVIDIA's wheels for a
    major or by their version."""
    kinds = r"(?:lib)?(cudart|cublasLt|cublas|cufft|curand|cusolver|cusparse|nvrtc|nvJitLink)(?:\.so|64_|_\d)"
    for project, platforms in pinned.items():
        for platform, releases in platforms.items():
            for version, facts in releases.items():
                names = [name.rpartition("/")[2] for name in facts.get("libraries", [])] + facts.get("names", [])
                by_name = re.fullmatch(r"cupy-cuda(\d\d)(\d)", project)
                of_runtime = project.startswith(("nvidia-cuda-runtime", "nvidia-cuda-nvrtc", "nvidia-nvjitlink"))
                major = re.search(r"-cu(\d\d)$", project)
                release = (f"{by_name[1]}.{by_name[2]}" if by_name else ".".join(version.split(".")[:2]) if of_runtime
                           else f"{major[1]}.8" if major else "13.0")
                for name in names:
                    kind = re.match(kinds, name)
                    if kind and not re.search(r"builtins|\.alt", name):
                        yield kind[1], release, platform, name


def check_names(tap, pinned):
    seen = set(seen_names(pinned))
    rows = [row for row in table("cuda.json")["libraries"]["rows"] if row.get("proof", "") is not None]
    key = refresh.version_key

    def is_of(row, kind, release):
        return row["kind"] == kind and key(row["first"]) <= key(release) and (
            row["last"] is None or key(release) <= key(row["last"]))

    for row in rows:
        for platform in ("linux", "windows"):
            found = {name for kind, release, there, name in seen if there == platform and is_of(row, kind, release)}
            if row[platform] is not None:
                tap.ok(row[platform] in found, f"names: {row[platform]} of {row['first']} to {row['last']}",
                       sorted(found))
    for kind, release, platform, name in sorted(seen):
        named = [row[platform] for row in rows if is_of(row, kind, release) and row[platform] is not None]
        unproven = (kind, release[:3]) == ("cublasLt", "10.")
        tap.ok(name in named or unproven, f"names: {name}, seen in {release}, is what {platform} is told to have",
               [str(named)])


CUPY = ["100", "101", "102", "110", "111", "112", "113", "114", "115", "116", "117", "11x", "12x", "13x"]


def check_cupy(tap):
    """CuPy's packages are named for the CUDA that they are built for; what cupy-cuda100 to 112 need agrees (above)."""
    rows = {(row["project"], row["platform"]): row["cuda"] for row in table("cuda.json")["frameworks"]["rows"]}
    for digits in CUPY:
        cuda = digits[:2] if digits.endswith("x") else f"{digits[:2]}.{digits[2]}"
        for platform in ("linux", "windows"):
            tap.ok(rows.get((f"cupy-cuda{digits}", platform)) == cuda, f"frameworks: cupy-cuda{digits} for {platform}")


def check_shared_names(tap, pinned):
    """From the versions of wheels that are named for a major."""
    rows = table("cuda.json")["shared_names"]["rows"]
    key = refresh.version_key
    for kind in ("curand", "cusolver", "cusparse"):
        for project, major in ((f"nvidia-{kind}-cu11", 11), (f"nvidia-{kind}-cu12", 12), (f"nvidia-{kind}", 13)):
            fits = [row for row in rows if row["kind"] == kind]
            for version in sorted(pinned[project]["linux"], key=key):
                majors = [row["cuda_major"] for row in fits if key(row["since"]) <= key(version)]
                if (kind, major) in (("cusparse", 11), ("cusolver", 13)):
                    continue  # it has a name of its own
                tap.ok(majors and majors[-1] == major, f"shared names: {project} {version}", [str(majors)])


def check_drivers(tap):
    """drivers.txt: release, driver for Linux, driver for Windows; `floor` for a major's oldest."""
    driver, floor = {}, {}
    with open(os.path.join(HERE, "drivers.txt"), encoding="utf-8") as lines:
        for line in lines:
            words = [None if word == "-" else word for word in line.partition("#")[0].split()]
            if words and words[0] == "floor":
                floor[int(words[1])] = words[2:]
            elif words:
                driver[words[0]] = words[1:]
    cuda = table("cuda.json")
    told = {row["cuda"]: [row["linux"], row["windows"]] for row in cuda["driver"]["rows"]}
    for release in sorted({*driver, *told}, key=refresh.version_key):
        tap.ok(driver.get(release) == told.get(release), f"drivers: CUDA {release}",
               [f"documents: {driver.get(release)}, table: {told.get(release)}"])
    floors = {row["cuda_major"]: [row["linux"], row["windows"]] for row in cuda["driver_floor"]["rows"]}
    tap.ok(floors == floor, "drivers: minor-version compatibility", [f"documents: {floor}, table: {floors}"])


def check_ptxas(tap):
    """By the names in ptxas of each release: of what the oldest has that was read, nothing is told."""
    with open(os.path.join(HERE, "pinned-ptxas.json"), encoding="utf-8") as text:
        named = json.load(text)
    releases = list(named)
    rows = {row["sm"]: row for row in table("cuda.json")["architectures"]["rows"] if row.get("proof")}
    for name in sorted({each for names in named.values() for each in names} | set(rows)):
        having = [release for release in releases if name in named[release]]
        if having and having[0] == releases[0]:
            tap.ok(name not in rows, f"architectures: since when there is {name} is not known")
            continue
        gone = [release for release in releases if having and release not in having and releases.index(release)
                > releases.index(having[0])]
        row = rows.get(name, {})
        tap.ok(having and [row.get("since"), row.get("until")] == [having[0], gone[0] if gone else None],
               f"architectures: {name}", [f"in {having}", str(row)])


def check_architectures(tap):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not os.path.exists(nvcc):
        tap.skip("architectures", "not run: there is no nvcc")
        return
    said = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    release = re.search(r"release (\d+\.\d+)", said)[1]
    listed = set(subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True).stdout.split())
    key = refresh.version_key
    rows = {row["sm"] for row in table("cuda.json")["architectures"]["rows"] if key(row["since"]) <= key(release) and
            (row["until"] is None or key(release) < key(row["until"])) and row["sm"][-1] not in "af"}
    tap.ok(rows == listed, f"architectures: those of nvcc {release}", sorted(rows ^ listed))


def check_all(tap, pinned):
    check_wheels(tap, pinned)
    check_names(tap, pinned)
    check_cupy(tap)
    check_shared_names(tap, pinned)
    check_drivers(tap)
    check_ptxas(tap)
    check_architectures(tap)


def delete_rows(pinned):
    """Takes out one row after the other."""
    lists = [(section, rows["rows"]) for section, rows in table("cuda.json").items()
             if isinstance(rows, dict)]
    lists += [(f"providers, {row['name']}", row["pip"]) for row in table("providers.json")["providers"]]
    noticed = count = 0
    for name, rows in lists:
        for i, row in enumerate(list(rows)):
            proof = row.get("proof", table("cuda.json").get(name, {"proof": "wheels"}).get("proof"))
            if proof is None or row.get("distribution", PROJECTS[0]) not in PROJECTS:
                continue
            count += 1
            del rows[i]
            with open(os.devnull, "w", encoding="utf-8") as nowhere:
                tap = Tap(nowhere)
                check_all(tap, pinned)
            noticed += tap.failed > 0
            if not tap.failed:
                print(f"nothing misses: {name}: {json.dumps(row)}", flush=True)
            rows.insert(i, row)
    print(f"{noticed} of {count} deleted rows are missed")


def main():
    words = sys.argv[1:]
    if words == ["--pin"]:
        pin()
        pin_directories()
        return 0
    tap = Tap()
    if words == ["--full"]:
        program = os.path.join(PROJECT, "tools", "refresh-knowledge")
        done = subprocess.run([sys.executable, program, "--check", "--known"], capture_output=True, text=True,
                              check=False)
        if "refresh-knowledge: " in done.stderr:
            tap.skip("every row of every wheel", "not run: " + done.stderr.strip().splitlines()[-1])
        else:
            tap.ok(done.returncode == 0, f"every row of every wheel: {done.stderr.strip()}",
                   done.stdout.splitlines()[:40])
        return tap.finish()
    with open(PINNED, encoding="utf-8") as text:
        pinned = json.load(text)
    if words == ["--deleted"]:
        delete_rows(pinned)
        return 0
    check_all(tap, pinned)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
