#!/usr/bin/env python3
"""Compares how cudald reads versions, specifiers, requirements and markers with the library `packaging`.

    requirements.py ASK_REQUIREMENTS [--offline]

The strings are real ones: data/versions.txt and data/requirements.txt, which tools/collect-requirements has written.
Versions are parsed, also with a character changed, ordered, and held against specifiers made of each other; those of
requirements against versions near their own. Markers are evaluated for several Pythons, machines and extras, also mixed
at random. packaging, of one version, comes from the cache or the package index; without both it is a skip. Output is
TAP.
"""

import argparse
import os
import random
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pinned import tool_folder  # noqa: E402
from tap import Tap, first  # noqa: E402

VERSION = "26.3"
SIGNS = ["==", "!=", "<=", ">=", "<", ">", "~=", "==="]
# Python, machine: what markers are evaluated for.
ENVIRONMENTS = [("3.6", "x86_64"), ("3.8", "x86_64"), ("3.9", "aarch64"), ("3.10", "x86_64"), ("3.11", "ppc64le"),
                ("3.12", "x86_64"), ("3.13", "aarch64"), ("3.14", "x86_64")]
ENDINGS = ["", ".0", ".1", ".dev0", "a1", "rc1", ".post0", ".post1", ".post1.dev0", "+cu128", "+1"]
# Comparisons that PEP 508 allows and few requirements have, to be mixed with the real ones.
RARE = [
    'platform_machine in "x86_64 AMD64"', 'platform_machine not in "aarch64, arm64"', 'platform_machine >= "x86"',
    'python_version in "3.8, 3.9, 3.10"', 'python_version not in "3.11.x"', 'python_version ~= "3.8"',
    'python_version === "3.9"', 'python_version == "3.1.*"', 'python_version != "3.1*"', '"3.9" <= python_version',
    '"3.11" == python_version', 'python_full_version >= "3.11.0rc1"', 'python_full_version < "3.12a"',
    'sys_platform < "win32"', 'sys_platform <= "linux"', 'sys_platform ~= "linux"', '"linux" in sys_platform',
    '"win" not in sys_platform', 'os_name > "nt"', "os.name == 'posix'", "python_implementation == 'CPython'",
    'platform_release >= "5.10"', 'platform_version == ""', 'implementation_version >= "3.10"', 'extra != "other"',
    '"other" == extra',
]
MIXED = 1500
NEAR = 12  # versions that a specifier is held against, besides those at its own


class Questions:
    """Questions to both, with what packaging says; cudald answers all at once."""

    def __init__(self, program):
        self.program = program
        self.lines, self.wanted = [], []

    def add(self, wanted, *words):
        if not any("\t" in word or "\n" in word for word in words):
            self.lines.append("\t".join(words))
            self.wanted.append(wanted)

    def compare(self, tap, what):
        done = subprocess.run([self.program], input="\n".join(self.lines) + "\n", stdout=subprocess.PIPE, text=True,
                              check=False)
        told = done.stdout.splitlines()
        wrong = [f"{line!r}: packaging {want!r}, cudald {tell!r}"
                 for line, want, tell in zip(self.lines, self.wanted, told) if want != tell]
        tap.ok(self.lines and done.returncode == 0 and len(told) == len(self.lines) and not wrong,
               f"{what}: {len(self.lines)} answers",
               [f"{len(wrong)} differ, exit status {done.returncode}", *first(wrong, 60)])
        self.lines, self.wanted = [], []


class Packaging:
    """What packaging says, in the words of ask_requirements.cc."""

    def __init__(self, folder):
        sys.path.insert(0, folder)
        import packaging.markers
        import packaging.requirements
        import packaging.specifiers
        import packaging.utils
        import packaging.version

        self.lib = packaging

    def parsed(self, text):
        try:
            return self.lib.version.Version(text)
        except self.lib.version.InvalidVersion:
            return None

    def parts(self, text):
        version = self.parsed(text)
        if version is None:
            return "none"
        release = list(version.release)
        while len(release) > 1 and release[-1] == 0:
            release.pop()
        words = [f"{version.epoch}!" + "".join(f"{number}." for number in release)]
        words += [version.pre[0][0] + str(version.pre[1])] if version.pre else []
        words += [f"post{version.post}"] if version.post is not None else []
        words += [f"dev{version.dev}"] if version.dev is not None else []
        words += ["+" + "".join(f"{part}." for part in version.local.split("."))] if version.local else []
        return " ".join(words)

    def order(self, left, right):
        a, b = self.parsed(left), self.parsed(right)
        return "none" if a is None or b is None else "<" if a < b else "=" if a == b else ">"

    def specifiers(self, text):
        try:
            return self.lib.specifiers.SpecifierSet(text)
        except self.lib.specifiers.InvalidSpecifier:
            return None

    def marker(self, text):
        try:
            return self.lib.markers.Marker(text)
        except self.lib.markers.InvalidMarker:
            return None

    def requirement(self, line):
        try:
            return self.lib.requirements.Requirement(line)
        except self.lib.requirements.InvalidRequirement:
            return None

    def holds(self, marker, python, machine, extras):
        """As pip asks: a requirement counts if its marker holds for one of the extras that were asked for."""
        values = {
            "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "platform_machine": machine,
            "implementation_name": "cpython", "platform_python_implementation": "CPython", "python_version": python,
            "python_full_version": python + ".0", "implementation_version": python + ".0", "platform_release": "",
            "platform_version": "",
        }
        try:
            return any(marker.evaluate({**values, "extra": extra}) for extra in extras or [""])
        except self.lib.markers.UndefinedComparison:
            return None


def read_lines(name):
    with open(os.path.join(HERE, "data", name), encoding="utf-8") as file:
        return file.read().splitlines()


def changed(text, random_):
    """The same with one character taken away, doubled or replaced, as people mistype."""
    at = random_.randrange(len(text))
    return random_.choice([text[:at] + text[at + 1:], text[:at] + text[at] + text[at:],
                           text[:at] + random_.choice("0123456789.-_+!abcdrvpostABC ") + text[at + 1:]])


def compare_versions(tap, questions, packaging, versions):
    random_ = random.Random(440)
    for text in versions + [changed(text, random_) for text in versions * 3]:
        questions.add(packaging.parts(text), "version", text)
    questions.compare(tap, "versions are read alike, also mistyped ones")

    valid = sorted((text for text in versions if packaging.parsed(text)), key=packaging.parsed)
    mixed = random_.sample(valid, len(valid))
    for order in (valid, mixed):
        for text, *others in zip(order, order[1:], order[2:], order[3:]):
            for other in others:
                questions.add(packaging.order(text, other), "compare", text, other)
    questions.compare(tap, "versions are ordered alike")

    # No index has local versions, but the wheels of PyTorch's makers do.
    local = [text + "+cu128" for text in valid[::10] if "+" not in text]
    for text, *others in [*zip(valid, valid[1:], valid[-1:] + valid, mixed), *zip(local, valid[::10], mixed)]:
        for sign in SIGNS:
            for specifier in (sign + text, sign + text + ".*"):
                allowed = packaging.specifiers(specifier)  # None, as of "~=1" or ">=1.*": nothing is allowed
                for other in [text, *others, others[0] + "+cu128"]:
                    told = allowed is not None and allowed.contains(other, prereleases=True)
                    questions.add(yes(told), "allows", specifier, other)
    questions.compare(tap, "each sign before each version allows the same")
    return valid


def yes(truth):
    return "yes" if truth else "no"


def near(specifiers, valid, packaging, random_):
    """Versions at the bounds of the specifiers, and some others."""
    found = set(random_.sample(valid, NEAR))
    for one in specifiers:
        base = one.version.replace(".*", "")
        found |= {base + ending for ending in ENDINGS}
    return sorted(text for text in found if packaging.parsed(text))


def compare_requirements(tap, questions, packaging, lines, valid):
    readable = {line: packaging.requirement(line) for line in lines}
    readable = {line: each for line, each in readable.items() if each and not each.url}
    tap.comment(f"{len(lines) - len(readable)} of {len(lines)} lines packaging cannot read, or name an address")
    by_marker = {}
    for line, requirement in readable.items():
        marker = line.partition(";")[2] if requirement.marker else ""
        questions.add("\t".join([packaging.lib.utils.canonicalize_name(requirement.name),
                                 "".join(f"{extra}," for extra in sorted(requirement.extras)),
                                 re.sub(r"\s", "", line_specifiers(line)), marker]), "requirement", line)
        if requirement.marker:
            by_marker.setdefault(marker, requirement.marker)
    questions.compare(tap, "requirements are read alike")

    random_ = random.Random(508)
    for text, specifiers in sorted({str(each.specifier): each.specifier for each in readable.values()}.items()):
        for version in near(specifiers, valid, packaging, random_):
            questions.add(yes(specifiers.contains(version, prereleases=True)), "allows", text, version)
    questions.compare(tap, "the specifiers of requirements allow the same")

    compare_markers(tap, questions, packaging, by_marker, "markers hold alike")
    pieces = {piece.strip(" ()") for text in by_marker for piece in re.split(r"\band\b|\bor\b", text)}
    pieces = sorted(pieces) + RARE * 3
    mixed = {text: marker for _ in range(MIXED) if (marker := packaging.marker(text := mixture(pieces, random_, 3)))}
    mixed.update((text, packaging.marker(text)) for text in RARE)
    compare_markers(tap, questions, packaging, mixed, "mixtures of comparisons hold alike")


def mixture(pieces, random_, depth):
    """A marker of several comparisons."""
    if depth == 0 or random_.random() < 0.25:
        return random_.choice(pieces)
    text = random_.choice([" and ", " or "]).join(mixture(pieces, random_, depth - 1) for _ in range(2))
    return f"({text})" if random_.random() < 0.4 else text


def compare_markers(tap, questions, packaging, by_text, what):
    for text, marker in sorted(by_text.items()):
        named = re.findall(r"extra\s*==\s*[\"']([^\"']+)[\"']", text)
        asked = [[], ["other"], *([extra] for extra in named)]
        asked += [["other", extra.upper().replace("-", "_")] for extra in named[:1]]
        for python, machine in ENVIRONMENTS:
            for extras in asked:
                told = packaging.holds(marker, python, machine, extras)
                if told is not None:
                    questions.add(yes(told), "holds", text, python, machine, ",".join(extras))
    questions.compare(tap, f"{len(by_text)} {what}")


def line_specifiers(line):
    """The specifiers as the line spells them, with the parentheses of old lines taken away."""
    text = re.sub(r"^\s*[A-Za-z0-9._-]+\s*(\[[^\]]*\])?", "", line.partition(";")[0]).strip()
    return text[1:-1] if text.startswith("(") and text.endswith(")") else text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--offline", action="store_true", help="fetch nothing")
    options = parser.parse_args()
    tap = Tap()
    folder, fault = tool_folder("packaging", VERSION, os.path.join("packaging", "markers.py"), options.offline)
    if fault is not None:
        tap.skip("agreement with packaging", fault)
        return tap.finish()
    packaging, questions = Packaging(folder), Questions(options.program)
    valid = compare_versions(tap, questions, packaging, read_lines("versions.txt"))
    compare_requirements(tap, questions, packaging, read_lines("requirements.txt"), valid)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
