#!/usr/bin/env python3
"""tools/survey and the SQL of docs/survey.md, on a few made wheels. Writes TAP.

survey.py CUDALD
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.join(HERE, "..", "..")
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from cached_python import cached_python  # noqa: E402
from corpus import write_wheel  # noqa: E402
from elf_writer import elf_bytes  # noqa: E402
from tap import Tap  # noqa: E402

PAGE = os.path.join(PROJECT, "docs", "survey.md")
TAG = "cp311-cp311-manylinux_2_28_x86_64"


def make_wheels(folder):
    """Rows of a list as tools/draw-survey writes them: kind -> file names."""
    os.makedirs(folder)
    made = {
        "cuda": [
            write_wheel(folder, "one_cu12", "1.0", TAG, {"one/_ext.so": elf_bytes(needed=["libcudart.so.12"])}),
            write_wheel(folder, "both", "1.0", TAG, {
                "both/_a.so": elf_bytes(needed=["libcublas.so.11"]),
                "both/_b.so": elf_bytes(needed=["libcublas.so.12", "libcudnn.so.9"])}),
        ],
        "other": [
            write_wheel(folder, "plain", "1.0", TAG, {"plain/_ext.so": elf_bytes(needed=["libnothere.so.1"])}),
            write_wheel(folder, "module", "1.0", TAG, {"module/__init__.py": "import absent_module\n"}),
        ],
    }
    return {kind: [os.path.basename(path) for path in paths] for kind, paths in made.items()}


def write_list(path, folder, made):
    with open(path, "w", encoding="utf-8") as file:
        file.write("# 5 packages (3 cuda, 2 other), made for a test, from no lock: none.\n")
        for kind, names in made.items():
            file.write(f"\n# {kind}: 0 MB\n")
            for name in names:
                size = os.path.getsize(os.path.join(folder, name))
                file.write(f"{name.split('-')[0]} {name} {'0' * 64} {size} /packages/{name}\n")
            if kind == "cuda":
                name = f"large-1.0-{TAG}.whl"
                file.write(f"large {name} {'0' * 64} 900000000 /packages/{name}\n")


def rows_under(page, words):
    """The rows of the table that follows the block of SQL with these words."""
    for block, table in re.findall(r"```sql\n(.*?)```\n((?:\n(?:\|[^\n]*\n)+)?)", page, re.DOTALL):
        if words in block:
            return [[cell.strip() for cell in line.strip("|").split("|")]
                    for line in table.strip().splitlines()[2:]]
    return None


def test_page(tap, folder, text):
    page = os.path.join(folder, "page.md")
    with open(page, encoding="utf-8") as file:
        new = file.read()
    tap.ok(rows_under(new, "GROUP BY ALL ORDER BY ALL") == [
        ["cuda", "here", "2", "0"], ["cuda", "left out", "1", "900"], ["other", "here", "2", "0"]],
        "what was read, and what was left out", [rows_under(new, "GROUP BY ALL ORDER BY ALL")])
    tap.ok(rows_under(new, '"not read"') == [["cuda", "large 900 MB"]], "what was left out is named")
    majors = {row[0]: row[1:] for row in rows_under(new, '"library needed"')}
    tap.ok(majors.get("11", [""])[0] == "1" and majors.get("12", [""])[0] == "2", "releases of CUDA are counted",
           [majors])
    several = rows_under(new, "HAVING count(DISTINCT cuda) > 1")
    tap.ok([row[0] for row in several] == ["both"], "who has several is named", [several])
    tap.ok(rows_under(new, "libcudnn%") == [["both", "needs libcudnn.so.9"]], "cuDNN", [rows_under(new, "libcudnn%")])
    undeclared = {row[1] for row in rows_under(new, "level <> 'note'")}
    tap.ok(undeclared == {"plain", "module", "one\\_cu12", "both"}, "what nobody declares", [undeclared])
    blocks = [[re.sub(r"\|.*\n", "", part) for part in re.split("```sql\n", each)] for each in (text, new)]
    dated = [re.sub(r"Read on [-0-9]+", "", "".join(each)).split() for each in blocks]
    tap.ok(dated[0] == dated[1], "all but the tables and the day stays as it was")
    with open(os.path.join(folder, "page.svg"), encoding="utf-8") as file:
        xml.etree.ElementTree.fromstring(file.read())
    tap.ok(os.path.getsize(os.path.join(folder, "into", "all.parquet")) > 0, "a picture and Parquet are written")


def main():
    tap = Tap()
    if len(sys.argv) != 2:
        tap.bail_out("usage: survey.py CUDALD")
    python, missing = cached_python("duckdb-2.0.0", ["install", "--quiet", "duckdb==2.0.0"])
    if missing:
        tap.skip("the survey", missing)
        return tap.finish()
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory(prefix="cudald-survey-") as folder:
        wheels = os.path.join(folder, "wheels")
        write_list(os.path.join(folder, "list.txt"), wheels, make_wheels(wheels))
        shutil.copy(PAGE, os.path.join(folder, "page.md"))
        command = [python, os.path.join(PROJECT, "tools", "survey"), os.path.abspath(sys.argv[1]), "--list", "list.txt",
                   "--page", "page.md", "--into", "into", "--wheels", wheels, "--most", "cuda=0,other=0"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
        figures = re.findall(r"\*\*([0-9][0-9,]*)\*\*", text)
        strangers = re.findall(r"says (\S+), which is in none", done.stderr)
        if not tap.ok(done.returncode == 1 and "Traceback" not in done.stderr, "the SQL of the page runs",
                      [done.returncode, *done.stderr.splitlines()[-5:]]):
            return tap.finish()
        tap.ok(figures and strangers and set(strangers) <= set(figures),
               "figures in the text that no answer gives are complained of", [done.stderr])
        test_page(tap, folder, text)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
