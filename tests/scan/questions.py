#!/usr/bin/env python3
"""The questions in SQL of docs/scan.md, asked of a scan by DuckDB, against what Python counts. Writes TAP.

questions.py CUDALD
"""

import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from cached_python import cached_python  # noqa: E402
from corpus import make_corpus, write_wheel  # noqa: E402
from elf_writer import elf_bytes  # noqa: E402
from scanning import Scans, records  # noqa: E402
from tap import Tap, first  # noqa: E402

PAGE = os.path.join(HERE, "..", "..", "docs", "scan.md")
BLOCK = re.compile(r"^```sql\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# DuckDB runs in the interpreter of its own environment: rows come back as JSON.
ASK = """
import duckdb, json, sys
view, *questions = json.load(sys.stdin)
connection = duckdb.connect()
connection.execute(view)
print(json.dumps([connection.execute(question).fetchall() for question in questions], default=str))
"""
CUDA_11 = {"libcudart.so.11.0", "libcublas.so.11", "libcublasLt.so.11", "cudart64_110.dll", "cublas64_11.dll"}


def found(all_records, code):
    """The files with a finding, each as often as it has it."""
    return sorted(os.path.basename(record["target"]) for record in all_records
                  for finding in record["report"]["findings"] if finding["code"] == code)


def needs(all_records):
    for record in all_records:
        for thing in record["report"]["objects"]:
            for need in thing["needed"]:
                yield os.path.basename(record["target"]), need


def expected(all_records):
    """By a few words of the question's SQL: what its rows must come to, and how these are looked at."""
    unknown = [os.path.basename(record["target"]) for record in all_records
               if record["outcome"] != "judged" or record["report"]["verdict"] == "unknown"]
    bundling = {os.path.basename(record["target"]) for record in all_records for thing in record["report"]["objects"]
                if "!/" in thing["path"] and (thing["soname"] or "").startswith("libcudnn")}
    vain = {}
    for file, need in needs(all_records):
        if need["hard"] and need["status"] == "missing":
            vain.setdefault(need["name"], set()).add(file)
    errors = sum(finding["level"] == "error" for record in all_records for finding in record["report"]["findings"])
    return {
        "GROUP BY ALL ORDER BY ALL": (len(all_records), lambda rows: sum(row[2] for row in rows)),
        "libcudart.so.11.0": (sorted({file for file, need in needs(all_records) if need["name"] in CUDA_11}),
                              lambda rows: [row[0] for row in rows]),
        "CUD301": (found(all_records, "CUD301"), lambda rows: [row[0] for row in rows]),
        "libcudnn%": (sorted(bundling), lambda rows: [row[0] for row in rows]),
        "CUD503": (found(all_records, "CUD503"), lambda rows: [row[0] for row in rows]),
        "CUD501": (len({finding["subject"] for record in all_records for finding in record["report"]["findings"]
                        if finding["code"] == "CUD501"}), len),
        "status = 'missing'": ({name: len(files) for name, files in vain.items()}, dict),
        "object.gpu": (0, len),
        "finding.level": (errors, lambda rows: sum(row[1] for row in rows)),
        "coalesce": (sorted(unknown), lambda rows: sorted(row[1] for row in rows)),
    }


def main():
    tap = Tap()
    if len(sys.argv) != 2:
        tap.bail_out("usage: questions.py CUDALD")
    python, missing = cached_python("duckdb-2.0.0", ["install", "--quiet", "duckdb==2.0.0"])
    if missing:
        tap.skip("questions in SQL", missing)
        return tap.finish()
    with tempfile.TemporaryDirectory(prefix="cudald-questions-") as name:
        corpus = os.path.join(name, "corpus")
        make_corpus(corpus, 30, seed=5)
        write_wheel(corpus, "bundles", "1.0", "cp311-cp311-manylinux_2_17_x86_64",
                    {"bundles/libcudnn.so.8": elf_bytes(soname="libcudnn.so.8"),
                     "bundles/_ext.so": elf_bytes(needed=["libcudnn.so.8"], runpath="$ORIGIN")})
        scans = Scans(os.path.abspath(sys.argv[1]), name)
        scans.scan("state", "--gpu-code", "--driver", "525.60.13")
        merge = scans.run("merge", "state", "-o", "ndjson=all.ndjson.zst", "-f", "ndjson")
        all_records = records(merge.stdout.encode())
        with open(PAGE, encoding="utf-8") as file:
            view, *questions = BLOCK.findall(file.read())
        done = subprocess.run([python, "-c", ASK], input=json.dumps([view, *questions]), cwd=name, capture_output=True,
                              text=True, check=False)
        if not tap.ok(done.returncode == 0, "DuckDB takes them all", done.stderr.splitlines()[-5:]):
            return tap.finish()
        answers = json.loads(done.stdout)
        wanted = expected(all_records)
        tap.ok(len(questions) == len(wanted) + 1, "there are ten, and how to write Parquet", [len(questions)])
        for mark, (right, look) in wanted.items():
            at = [index for index, question in enumerate(questions) if mark in question]
            said = look(answers[at[0]]) if len(at) == 1 else at
            said = [said] if isinstance(said, int) else said
            right = [right] if isinstance(right, int) else right
            tap.ok(said == right, f"the question with {mark}", [f"SQL: {first(said)}", f"Python: {first(right)}"])
        tap.ok(os.path.getsize(os.path.join(name, "all.parquet")) > 0, "Parquet is written")
        some = [mark for mark, (right, _) in wanted.items() if right]
        tap.ok(len(some) >= 7, "most have answers that are not empty", some)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
