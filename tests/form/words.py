"""Whether texts that people read avoid the words of docs/development/style.md: strings in the sources, printed texts of
data/, documents. Output is TAP, a line for each kind of text.

    words.py [--list]      --list prints each place
"""

import argparse
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from form import PROJECT, sources  # noqa: E402

STYLE = "docs/development/style.md"
DOCUMENTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/")
# Reports that a tool writes, or that tell a history.
NOT_READ = ("docs/gpu-check.md", "docs/survey.md", STYLE)
PRINTED = {"data/messages.json": ("who", "means", "fix"), "data/gpu-use.json": ("lost",),
           "data/known-dlopens.json": ("without",)}
# Words of others: messages of loaders and systems, names of options.
ALLOWED = (
    "cannot open shared object file",
    "there is no",
    "there are no",
    "--no-",
)
# A comment, a raw string, a string, a character: whatever comes first.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*~?)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)


def avoided():
    """The phrases of the table, as one pattern."""
    with open(os.path.join(PROJECT, STYLE), encoding="utf-8") as file:
        table = file.read().split("## Avoid")[1]
    phrases = []
    for line in table.split("\n"):
        if line.startswith("| ") and not line.startswith(("| avoid", "| ---")):
            phrases += [phrase.strip() for phrase in line.split("|")[1].split(",")]
    return re.compile(r"(?<![\w$/.-])(" + "|".join(map(re.escape, phrases)) + r")(?![\w/=:-])", re.IGNORECASE)


def strings_of(path):
    """The strings of a C++ source that hold more than one word."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for found in TOKEN.finditer(text):
        string = found[2] if found[2] is not None else found[3]
        if string and " " in string:
            yield text.count("\n", 0, found.start()) + 1, string


def printed_of(path, keys):
    with open(path, encoding="utf-8") as file:
        rows = json.load(file)["rows"]
    for row in rows:
        for key in keys:
            if isinstance(row.get(key), str):
                yield row.get("text", key), row[key]


def prose_of(path):
    """The lines of a document outside of blocks of code and inline code."""
    inside = False
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("```"):
                inside = not inside
            elif not inside and not line.startswith("    "):
                yield number, re.sub(r"`[^`]*`", "", line)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--list", action="store_true", help="print each place")
    given = words.parse_args()
    pattern = avoided()
    paths = sorted(os.path.relpath(path, PROJECT) for path in sources("."))
    kinds = {
        "strings of the sources": [(path, strings_of(os.path.join(PROJECT, path))) for path in paths
                                   if path.startswith(("src/", "lib/")) and "/tests/" not in path
                                   and path.endswith((".cc", ".h", ".c"))],
        "printed texts of data/": [(path, printed_of(os.path.join(PROJECT, path), keys))
                                   for path, keys in PRINTED.items()],
        "documents": [(path, prose_of(os.path.join(PROJECT, path))) for path in paths
                      if path.endswith(".md") and path.startswith(DOCUMENTS) and path not in NOT_READ],
    }
    failed = False
    print(f"1..{len(kinds)}")
    for number, (kind, texts) in enumerate(kinds.items(), 1):
        places = []
        for path, parts in texts:
            for place, text in parts:
                for allowed in ALLOWED:
                    text = text.replace(allowed, "")
                places += [f"{path}:{place}: {found[0]}: {text.strip()[:100]}" for found in pattern.finditer(text)]
        print(f"{'not ok' if places else 'ok'} {number} - {kind} use plain words")
        for place in places if given.list else places[:20]:
            print(f"# {place}")
        failed |= bool(places)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
