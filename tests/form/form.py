"""The form of the sources, by rules that a machine can hold: who includes whom, how long lines and functions are."""

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from functions import functions  # noqa: E402

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_COLUMNS = 120
MOST_LINES = 60  # of a function
# Longer still, by file: how many. Whoever cuts one takes it away here.
LONG_YET = {
}

HAND_WRITTEN = (".cc", ".h", ".c", ".py", ".sh", ".md", "meson.build", "meson_options.txt")
# A row of a table is one line, however long; so is what stands in Markdown between bars, and an address.
ROWS_OF_TABLES = (
    ("*.md", re.compile(r"^\|.*\|$")),
    ("*", re.compile(r"^\W*\S*https?://\S+\W*$")),
)


def sources(*folders):
    """Every file of these folders that is written by hand: what git knows or would add, without what is generated."""
    listed = subprocess.run(
        ["git", "-C", PROJECT, "ls-files", "--cached", "--others", "--exclude-standard", "--", *folders],
        check=True, capture_output=True, text=True,
    )
    for path in sorted(set(listed.stdout.split("\n"))):
        if path and not path.startswith("subprojects/") and os.path.isfile(os.path.join(PROJECT, path)):
            yield path


def read(path):
    with open(os.path.join(PROJECT, path), encoding="utf-8") as file:
        return file.read()


def is_script(path):
    """Whether a file without an ending is a script, by its first line."""
    if os.path.splitext(path)[1]:
        return False
    with open(os.path.join(PROJECT, path), "rb") as file:
        return file.read(2) == b"#!"


def is_hand_written(path):
    return path.endswith(HAND_WRITTEN) or is_script(path)


def stages(architecture):
    """The folders of src/ in the order in which they may include one another, from the one quotation that says so."""
    lines = re.findall(r"^> (\w+(?:,(?: |\n> )\w+)+)$", architecture, re.MULTILINE)
    if len(lines) != 1:
        raise ValueError(f"ARCHITECTURE.md has {len(lines)} quotations `> base, fs, ...` that name the stages, not one")
    return re.split(r",(?: |\n> )", lines[0])


def wrong_includes(order, path, text):
    """The includes of a file of src/ that go against the order of the stages."""
    stage = path.split("/")[1]
    if stage not in order:
        return [f"{path}: the stage {stage} is not in the order that ARCHITECTURE.md states"]
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        included = re.match(r'#include "(\w+)/', line)
        if included and included[1] in order and order.index(included[1]) > order.index(stage):
            found.append(f"{path}:{number}: {stage} comes before {included[1]} and must not include it")
    return found


def long_lines(path, text):
    found = []
    quoted = False
    for number, line in enumerate(text.split("\n"), 1):
        if path.endswith(".md") and line.startswith("```"):
            quoted = not quoted  # what a program printed stays as it is
        is_row = quoted or any(
            pattern.match(line) for files, pattern in ROWS_OF_TABLES if files == "*" or path.endswith(files[1:])
        )
        if len(line) > MOST_COLUMNS and not is_row:
            found.append(f"{path}:{number}: {len(line)} columns")
    return found


def long_functions(path, text):
    return [
        f"{path}:{first}: {last - first + 1} lines: {head[:60]}"
        for first, last, head in functions(text)
        if last - first + 1 > MOST_LINES
    ]


# A new release of CUDA is rows of data/. Pages and help have examples, which stay true.
PROSE = ("src/check/catalogue.cc", "src/cli/option_table.cc")
RELEASE_IN_CODE = re.compile(r"\b(?!\w*python)\w*(newest|latest|cuda|major|release)\w*\s*(=|<=?|>=?|==|!=)\s*\{?\s*"
                             r"(9|1\d)\b(?!\.)", re.IGNORECASE)
RELEASE_IN_TEXT = re.compile(r"-?cu(da)?1\dx?\b|lib(cu|nv)\w+\.so\.1\d|64_1\d|CUDA 1\d")


def releases_in_code(path, text):
    """Numbers of releases of CUDA outside of comments."""
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        code = line.split("//")[0]
        if RELEASE_IN_CODE.search(code) or (path not in PROSE and RELEASE_IN_TEXT.search(code)):
            found.append(f"{path}:{number}: a release of CUDA belongs into data/: {line.strip()[:60]}")
    return found


def check_releases():
    return [line for path in sources("src") if path.endswith((".cc", ".h"))
            for line in releases_in_code(path, read(path))]


def check_includes():
    order = stages(read("ARCHITECTURE.md"))
    found = []
    for path in sources("src"):
        if path.endswith((".cc", ".h")) and path.count("/") > 1:
            found += wrong_includes(order, path, read(path))
    return found


def check_lines():
    return [line for path in sources(".") if is_hand_written(path) for line in long_lines(path, read(path))]


def check_functions():
    found = []
    for path in sources("src"):
        if not path.endswith((".cc", ".h", ".c")):
            continue
        here = long_functions(path, read(path))
        expected = LONG_YET.get(path, 0)
        if len(here) > expected:
            found += here
        elif len(here) < expected:
            found.append(f"{path}: {len(here)} functions are too long, LONG_YET says {expected}")
    return found


# Whether the rules themselves find what they are for.
BAD_FUNCTION = "int f(int a) {\n" + "  a += 1;\n" * MOST_LINES + "}\n"
GOOD_FUNCTION = "int f(int a) {\n" + "  a += 1;\n" * (MOST_LINES - 2) + "}\n"


def check_rules():
    order = ["base", "fs", "check"]
    cases = (
        (wrong_includes(order, "src/fs/a.cc", '#include "base/x.h"\n#include "fs/y.h"\n#include <vector>\n'), 0),
        (wrong_includes(order, "src/fs/a.cc", '#include "check/x.h"\n'), 1),
        (wrong_includes(order, "src/new/a.cc", ""), 1),
        (long_lines("a.py", "x" * MOST_COLUMNS), 0),
        (long_lines("a.py", "x" * MOST_COLUMNS + "y"), 1),
        (long_lines("a.md", "| " + "x" * MOST_COLUMNS + " |"), 0),
        (long_lines("a.py", "| " + "x" * MOST_COLUMNS + " |"), 1),
        (long_functions("a.cc", BAD_FUNCTION), 1),
        (long_functions("a.cc", GOOD_FUNCTION), 0),
        (long_lines("a.md", "```\n" + "x" * 130 + "\n```\n" + "y" * 130), 1),
        (
            long_functions("a.cc", "namespace x {\nclass A {\n A() : b_(1) {\n" + "  f(\"}\");\n" * 70 + " }\n};\n}\n"),
            1,
        ),
        (releases_in_code("src/a.cc", "constexpr int newest = 13;\nif (cuda.major < 11) return;\nx = \"-cu12\";"), 3),
        (releases_in_code("src/a.cc", "constexpr int newest_python = 14;  // \"CUDA 12\"\nmajor == other;\n"), 0),
        (long_functions("a.cc", "const Row rows[] = {\n" + "  {1, f(2)},\n" * 70 + "};\n"), 0),
        (long_functions("a.cc", "class A {\n" + "  int f() { return 1; }\n" * 70 + "};\n"), 0),
    )
    return [f"case {number}: {found}" for number, (found, wanted) in enumerate(cases, 1) if len(found) != wanted]


def main():
    if not os.path.exists(os.path.join(PROJECT, ".git")):
        print("1..0 # SKIP the sources are no checkout of git, which says which files are ours")
        return 0
    checks = (
        ("the rules find what they are for", check_rules),
        ("every #include obeys the order of the stages", check_includes),
        (f"no line has more than {MOST_COLUMNS} columns", check_lines),
        ("no release of CUDA stands in the code", check_releases),
        (f"no function has more than {MOST_LINES} lines", check_functions),
    )
    print(f"1..{len(checks)}")
    failed = False
    for number, (name, check) in enumerate(checks, 1):
        found = check()
        failed |= bool(found)
        for line in found:
            print(f"# {line}")
        print(f"{'not ok' if found else 'ok'} {number} - {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
