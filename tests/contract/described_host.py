#!/usr/bin/env python3
"""A described machine: what `--host` says from elsewhere is what `--sysroot` says of the root itself.

`cudald env --save` describes a root; then programs of the root, each alone in a tree that has nothing else, and wheels
are judged on the described machine. Every finding (code, level, subject, message), verdict and error must be that of
`--sysroot`, byte for byte, and so must objects, searches and evidence. So must it be after damage: a copy of the root
in which libraries are gone, cut short, or those of another root.

The root is made of this system's own programs and the libraries that they load. `--full` takes three roots of Debian,
300 programs of each and 20 wheels of the cache; `--roots DIR...` takes others.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "common"))

from pinned import CACHE, WHEELS  # noqa: E402
from tap import Tap, first  # noqa: E402

RELEASES = ["bookworm", "trixie", "bullseye"]
PROGRAM_FOLDERS = ["usr/bin", "bin", "usr/sbin", "sbin", "usr/lib", "usr/libexec"]
ELF = b"\x7fELF"
ROOT_PARTS = ["bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "opt"]
OWN_PROGRAMS = ["ls", "sed", "grep", "gzip", "tar", "bash", "python3", "perl", "find", "ssh", "curl", "git", "make"]
BY_SYMBOLS = "functions wanted from"  # in evidence about libraries that are not loaded
AT_ONCE = 50  # targets of one call
LARGEST_WHEEL = 40 << 20


def is_program(path):
    try:
        if path.is_symlink() or not path.is_file() or ".so" in path.name or not os.access(path, os.X_OK):
            return False
        with open(path, "rb") as file:
            start = file.read(20)
    except OSError:
        return False
    return start[:4] == ELF and start[16:17] in (b"\x02", b"\x03")


def programs_of(root, count, rng):
    found = {}
    for folder in PROGRAM_FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            real = path.resolve()
            if root in real.parents and real not in found and is_program(path):
                found[real] = "/" + str(path.relative_to(root))
    programs = sorted(found.values())
    return sorted(rng.sample(programs, min(count, len(programs))))


def some_wheels(count, rng):
    names = sorted(path.name for path in Path(WHEELS).glob("*linux*.whl") if path.stat().st_size < LARGEST_WHEEL)
    return sorted(rng.sample(names, min(count, len(names))))


class Asker:
    def __init__(self, cudald):
        self.cudald = cudald

    def run(self, *words):
        return subprocess.run([self.cudald, *map(str, words)], check=False, capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"})

    def answers(self, targets, *options):
        """The report of each target, by its name."""
        parts = [targets[at:at + AT_ONCE] for at in range(0, len(targets), AT_ONCE)]

        def ask(part):
            done = self.run("check", "-f", "ndjson", "--separately", "--allow-incomplete", *options, *part)
            reports = [json.loads(line) for line in done.stdout.splitlines()]
            if len(reports) != len(part):
                raise RuntimeError(f"{len(reports)} answers for {len(part)} targets: {done.stderr[-500:]}")
            return dict(zip(part, reports))

        with ThreadPoolExecutor(2) as pool:
            return {name: report for answers in pool.map(ask, parts) for name, report in answers.items()}


def said(report):
    """What must be equal, and comparable as text."""
    findings = sorted((each["code"], each["level"], each.get("subject") or "", each["message"])
                      for each in report["findings"])
    targets = [(each["given"], each["verdict"], each["error"]) for each in report["targets"]]
    return json.dumps([report["verdict"], targets, findings])


def all_of(report):
    """The same with every object and its whole search, and with all evidence that needs no symbols."""
    parts = {key: value for key, value in report.items() if key not in ("tool", "world")}
    parts["findings"] = [{**each, "evidence": [one for one in each["evidence"] if BY_SYMBOLS not in one["text"]]}
                         for each in report["findings"]]
    return parts


def copy_file(source, into):
    into.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, into)


class Comparison:
    """One root, its description, and a tree with nothing but what is asked about."""

    def __init__(self, asker, tap, name, root, work):
        self.asker, self.tap, self.name, self.root = asker, tap, name, root
        self.elsewhere = work / f"{name}-elsewhere"
        self.plain, self.packed = work / f"{name}.json", work / f"{name}.json.gz"
        self.with_symbols = work / f"{name}-symbols.json.gz"

    def describe(self):
        saved = [("none", self.plain), ("none", self.packed), ("all", self.with_symbols)]
        for symbols, path in saved:
            done = self.asker.run("env", "--sysroot", self.root, "--symbols", symbols, "--save", path)
            self.tap.ok(done.returncode == 0 and path.exists(), f"{self.name}: env --save {path.name}", [done.stderr])
        sizes = ", ".join(f"{path.name} {path.stat().st_size:,} bytes" for _, path in saved)
        libraries = len(json.loads(self.plain.read_text())["libraries"])
        self.tap.comment(f"{self.name}: {libraries} files; {sizes}")

    def compare(self, programs, wheels):
        for program in programs:
            copy_file(self.root / program[1:], self.elsewhere / program[1:])
        carried = []
        for wheel in wheels:
            for tree in (self.root, self.elsewhere):
                copy_file(Path(WHEELS) / wheel, tree / "cudald-wheels" / wheel)
            carried.append(f"/cudald-wheels/{wheel}")
        try:
            for what, targets in (("programs", programs), ("wheels", carried)):
                if targets:
                    self.hold(what, targets)
        finally:
            shutil.rmtree(self.root / "cudald-wheels", ignore_errors=True)

    def hold(self, what, targets):
        there = self.asker.answers(targets, "--sysroot", self.root)
        here = self.asker.answers(targets, "--sysroot", self.elsewhere, "--host", self.with_symbols)
        self.told(what, targets, there, here, "with symbols")
        there = self.asker.answers(targets, "--sysroot", self.root, "--symbols", "none")
        here = self.asker.answers(targets, "--sysroot", self.elsewhere, "--host", self.packed, "--symbols", "none")
        self.told(what, targets, there, here, "without symbols")

    def told(self, what, targets, there, here, how):
        different = [name for name in targets if said(there[name]) != said(here[name])]
        other = [name for name in targets if all_of(there[name]) != all_of(here[name])]
        findings = sum(len(there[name]["findings"]) for name in targets)
        equal = len(targets) - len(different)
        self.tap.comment(f"{self.name}, {how}: {equal} of {len(targets)} {what} with equal findings ({findings} "
                         f"findings); {len(targets) - len(other)} with equal objects, searches and evidence too")
        details = []
        for name in different:
            details += [name, f"  there: {said(there[name])[:1500]}", f"  here:  {said(here[name])[:1500]}"]
        self.tap.ok(not different, f"{self.name}: findings of {len(targets)} {what}, {how}", first(details, 30))
        self.tap.ok(not other, f"{self.name}: all else of {len(targets)} {what}, {how}", first(other))


def own_root(work):
    """A root with some programs of this system, and what they load."""
    root = work / "own"
    for name in OWN_PROGRAMS:
        program = shutil.which(name, path="/usr/bin:/bin")
        if program is None or not is_program(Path(program).resolve()):
            continue
        listed = subprocess.run(["ldd", program], check=False, capture_output=True, text=True).stdout
        copy_file(Path(program).resolve(), root / "usr/bin" / name)
        for word in listed.split():
            if word.startswith("/") and os.path.isfile(word):
                copy_file(Path(word).resolve(), root / "usr" / word[1:].removeprefix("usr/"))
    for folder in ("lib", "lib64"):
        if (root / "usr" / folder).exists():
            (root / folder).symlink_to(f"usr/{folder}")
    (root / "etc").mkdir()
    (root / "etc/ld.so.conf").write_text("/usr/local/lib\n/usr/lib/x86_64-linux-gnu\n/usr/lib/aarch64-linux-gnu\n")
    subprocess.run(["/sbin/ldconfig", "-r", str(root)], check=False, stderr=subprocess.DEVNULL)
    return root


def damaged(root, other, work, rng):
    """A copy of a root, by hard links, in which every seventh library is not what it should be."""
    copy = work / f"{root.name}-damaged"
    copy.mkdir()
    # Not all that is there: /proc and /dev may be mounted.
    parts = [str(root / name) for name in ROOT_PARTS if (root / name).exists()]
    subprocess.run(["cp", "-al", *parts, str(copy)], check=True)
    folders = [copy / "usr/lib/x86_64-linux-gnu", copy / "usr/lib/aarch64-linux-gnu"]
    libraries = sorted(path for folder in folders if folder.is_dir() for path in folder.iterdir()
                       if ".so" in path.name and not path.is_symlink() and path.is_file()
                       and not path.name.startswith(("ld-", "libc.", "libc-")))
    for path in rng.sample(libraries, len(libraries) // 7):
        kind = rng.choice(["gone", "short", "text", "another", "older", "older"])
        older = other / path.relative_to(copy) if other else None
        data = path.read_bytes()
        path.unlink()  # the other name of the file stays as it is
        if kind == "short":
            path.write_bytes(data[:rng.choice([0, 30, 64, 600, len(data) // 2])])
        elif kind == "text":
            path.write_text("/* GNU ld script */\nGROUP ( libgone.so )\n")
        elif kind == "another":
            path.write_bytes((root / rng.choice(libraries).relative_to(copy)).read_bytes())
        elif kind == "older" and older is not None and older.is_file():
            path.write_bytes(older.read_bytes())
    return copy


def debian_roots(folder):
    """Three roots of Debian, made where they are not there; or why they cannot be made."""
    roots = []
    for release in RELEASES:
        root = folder / release
        if not (root / "usr/bin").exists():
            if os.geteuid() != 0 or shutil.which("debootstrap") is None or "CUDALD_OFFLINE" in os.environ:
                return f"{root} is not there, and debootstrap cannot make it"
            root.parent.mkdir(parents=True, exist_ok=True)
            words = ["debootstrap", "--variant=minbase", "--include=binutils,procps", release, str(root)]
            done = subprocess.run(words, check=False, capture_output=True, text=True)
            if done.returncode != 0:
                shutil.rmtree(root, ignore_errors=True)
                return f"debootstrap {release}: {done.stdout[-200:]}{done.stderr[-200:]}"
        roots.append(root)
    return roots


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--full", action="store_true", help="three roots of Debian, 300 programs and 20 wheels")
    parser.add_argument("--roots", nargs="*", type=Path, default=[], help="these roots instead")
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--wheels", type=int, default=20)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    tap = Tap()
    asker = Asker(os.path.abspath(options.cudald))
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory(dir=options.roots[0].parent if options.roots else None) as folder:
        work = Path(folder)
        roots = [root.resolve() for root in options.roots]
        if options.full and not roots:
            roots = debian_roots(Path(CACHE) / "roots")
            if isinstance(roots, str):
                tap.skip("three roots of Debian", roots)
                return tap.finish()
        wheels = some_wheels(options.wheels, rng) if roots else []
        if not roots:
            roots = [own_root(work)]
        if len(wheels) < options.wheels and options.full:
            tap.comment(f"only {len(wheels)} wheels are in the cache")
        for number, root in enumerate(roots):
            other = roots[number - 1] if len(roots) > 1 else None
            programs = programs_of(root, options.programs, rng)
            for each in (root, damaged(root, other, work, rng)):
                comparison = Comparison(asker, tap, each.name, each, work)
                comparison.describe()
                comparison.compare(programs, wheels)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
