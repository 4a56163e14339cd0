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

SOURCES = ("src", "lib")
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


# What the rest of the program may include of the library that follows Python's imports.
FACE_OF_PYIMPORT = ("pyimport/run_import.h", "pyimport/run/import_store.h", "pyimport/environment/environment_files.h",
                    "pyimport/compiled/library_requests.h", "pyimport/bytecode.h")


def rooms(architecture):
    """The directories of sources in the order in which they may include one another, from the one quotation of
    ARCHITECTURE.md that says so. A room of a stage has a slash: report/text."""
    lines = re.findall(r"^> ([\w/]+(?:,(?: |\n> )[\w/]+)+)$", architecture, re.MULTILINE)
    if len(lines) != 1:
        raise ValueError(f"ARCHITECTURE.md has {len(lines)} quotations `> os, base, ...` that name the rooms, not one")
    return re.split(r",(?: |\n> )", lines[0])


def room_of(path):
    """src/report/text/x.cc is of report/text, lib/pyimport/run/x.cc of pyimport/run."""
    return "/".join(path.split("/")[1:-1])


def wrong_includes(order, path, text):
    """The includes of a source that go against the order of the rooms."""
    room = room_of(path)
    if room not in order:
        return [f"{path}: the room {room} is not in the order that ARCHITECTURE.md states"]
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        included = re.match(r'#include "(([\w/]+)/\w+\.h)"', line)
        if not included or included[2] == "cudald":
            continue
        other = included[2]
        if other not in order:
            found.append(f"{path}:{number}: {other} is no room that ARCHITECTURE.md names")
        elif order.index(other) > order.index(room):
            found.append(f"{path}:{number}: {room} comes before {other} and must not include it")
        elif (other.startswith("pyimport") and not room.startswith("pyimport")
              and included[1] not in FACE_OF_PYIMPORT):
            found.append(f"{path}:{number}: {included[1]} is no public header of pyimport")
    return found


def empty_rooms(order, paths):
    """What the order names and no directory is."""
    there = {room_of(path) for path in paths}
    return [f"ARCHITECTURE.md names the room {room}, and there is none" for room in order if room not in there]


MOST_OF_ARCHITECTURE = 13_000  # bytes


def wrong_picture(order, architecture):
    """Where the picture of ARCHITECTURE.md and the directories differ, and whether the page is too long."""
    stages = {room.split("/")[0] for room in order}
    picture = re.search(r"^```$(.*?)^```$", architecture, re.MULTILINE | re.DOTALL)
    drawn = set(re.findall(r"\b(\w+)/(?= )", picture[1])) if picture else set()
    found = [f"ARCHITECTURE.md: the picture has no {stage}/" for stage in sorted(stages - drawn)]
    found += [f"ARCHITECTURE.md: the picture has {stage}/, and there is none" for stage in sorted(drawn - stages)]
    size = len(architecture.encode())
    return found + ([f"ARCHITECTURE.md has {size} bytes"] if size > MOST_OF_ARCHITECTURE else [])


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
PROSE = ("src/check/findings/catalogue.cc", "src/cli/options/option_table.cc", "src/cli/commands/help.cc")
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
    return [line for path in sources(*SOURCES) if path.endswith((".cc", ".h")) and "/tests/" not in path
            for line in releases_in_code(path, read(path))]


def check_includes():
    order = rooms(read("ARCHITECTURE.md"))
    paths = [path for path in sources(*SOURCES) if path.endswith((".cc", ".h")) and path.count("/") > 1
             and not path.startswith("lib/pyimport/tests/")]
    return empty_rooms(order, paths) + [line for path in paths for line in wrong_includes(order, path, read(path))]


MAPS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "docs/development/*.md")
ROOTS = ("", "src/", "lib/", "include/")


def absent_files(order, page, is_there):
    """Files of the project that a page names and that are not there; names in capitals stand for any."""
    tops = {room.split("/")[0] for room in order} | {"src", "lib", "tests", "tools", "data", "cudald"}
    named = re.findall(r"`((\w+)/[\w/.-]+\.(?:cc|h|py|json|txt|md))`", page)
    return sorted({path for path, top in named if top in tops and not re.search("[A-Z]{3}", path)
                   and not any(is_there(root + path) for root in ROOTS)})


def check_maps():
    order = rooms(read("ARCHITECTURE.md"))
    is_there = lambda path: os.path.isfile(os.path.join(PROJECT, path))  # noqa: E731
    return [f"{page} names {path}, which is not there" for page in sources(*MAPS)
            for path in absent_files(order, read(page), is_there)]


def check_picture():
    architecture = read("ARCHITECTURE.md")
    return wrong_picture(rooms(architecture), architecture)


def untold_formats(table, page):
    """Formats of the table that their page does not name."""
    names = re.findall(r'\.name = "(\w+)"', table)
    return [f"docs/formats.md does not name the format {name}" for name in names if not re.search(rf"\b{name}\b", page)]


def check_formats():
    return untold_formats(read("src/cli/options/formats.h"), read("docs/formats.md"))


def check_lines():
    return [line for path in sources(".") if is_hand_written(path) for line in long_lines(path, read(path))]


def check_functions():
    found = []
    for path in sources(*SOURCES):
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
    order = rooms("x\n> base, tree, pyimport, pyimport/run,\n> check/text, check\ny")
    cases = (
        (wrong_includes(order, "src/tree/a.cc", '#include "base/x.h"\n#include "tree/y.h"\n#include <vector>\n'), 0),
        (wrong_includes(order, "src/tree/a.cc", '#include "check/x.h"\n'), 1),
        (wrong_includes(order, "src/check/a.cc", '#include "check/text/x.h"\n'), 0),
        (wrong_includes(order, "src/check/text/a.cc", '#include "check/x.h"\n#include "check/new/x.h"\n'), 2),
        (wrong_includes(order, "src/check/a.cc", '#include "pyimport/run_import.h"\n#include "pyimport/run/x.h"\n'), 1),
        (wrong_includes(order, "lib/pyimport/run/a.cc", '#include "pyimport/run/x.h"\n#include "check/x.h"\n'), 1),
        (wrong_includes(order, "src/new/a.cc", ""), 1),
        (empty_rooms(order, ["src/base/a.h", "src/tree/a.h", "lib/pyimport/a.h", "src/check/text/a.h"]), 2),
        (wrong_picture(["base", "check", "check/text"], "```\n base/ x  check/  y\n```\n"), 0),
        (wrong_picture(["base", "check", "check/text"], "```\n base/ x  new/  y\n```\n" + "x" * 13_000), 3),
        (absent_files(["base"], "`base/a.h` `base/b.h` `src/base/a.h` `tests/NAME.cc` `x/c.h`",
                      lambda path: path == "src/base/a.h"), 1),
        (untold_formats('{.name = "text"},\n{.name = "new"}', "text and newer"), 1),
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
        (unknown_on_windows("x = EM_A; y = EM_OURS; z = PT_B;", "EM_C", "EM_A EM_C PT_B"), 2),
        (long_functions("a.cc", "class A {\n" + "  int f() { return 1; }\n" * 70 + "};\n"), 0),
    )
    return [f"case {number}: {found}" for number, (found, wanted) in enumerate(cases, 1) if len(found) != wanted]


NUMBER_OF_ELF = re.compile(r"\b(?:EM|ET|PT|PF|DT|DF|SHT|SHF|SHN|STB|STT|STV|NT|VER|ELFOSABI|ELFCLASS|ELFDATA|R|SHT_GNU)"
                           r"_[A-Z0-9_]+\b")
ELF_ON_WINDOWS = "packaging/windows/include/elf.h"


def unknown_on_windows(text, windows, here):
    """Numbers of elf.h that a source names and that the header which stands in for it on Windows lacks."""
    names = set(NUMBER_OF_ELF.findall(text)) & set(NUMBER_OF_ELF.findall(here))
    return sorted(names - set(NUMBER_OF_ELF.findall(windows)))


def check_elf_on_windows():
    windows = read(ELF_ON_WINDOWS)
    here = read("/usr/include/elf.h") if os.path.exists("/usr/include/elf.h") else windows
    found = []
    for path in sources(*SOURCES):
        if path.endswith((".cc", ".h")) and not path.endswith("_linux.cc") and "/tests/" not in path:
            lacking = unknown_on_windows(read(path), windows, here)
            found += [f"{path}: {name} is not in {ELF_ON_WINDOWS}" for name in lacking]
    return found


def main():
    if not os.path.exists(os.path.join(PROJECT, ".git")):
        print("1..0 # SKIP the sources are no checkout of git, which says which files are ours")
        return 0
    checks = (
        ("the rules find what they are for", check_rules),
        ("every #include obeys the order of the rooms", check_includes),
        ("the picture of ARCHITECTURE.md shows the directories", check_picture),
        ("the files that the maps name are there", check_maps),
        ("each format is in docs/formats.md", check_formats),
        (f"no line has more than {MOST_COLUMNS} columns", check_lines),
        ("no release of CUDA stands in the code", check_releases),
        (f"no function has more than {MOST_LINES} lines", check_functions),
        ("elf.h for Windows has each number that is used", check_elf_on_windows),
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
