"""Newer rows by --knowledge, and the days of the tables."""

import json
import os

from schema import Schema

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(HERE, "..", "..", "docs", "knowledge-schema.json")
TABLE = os.path.join(HERE, "..", "..", "data", "cuda.json")


def overlay(cudald, name, rows, **more):
    section = {"source": "release notes", "checked": "2030-01-02", "proof": "a test", "rows": rows, **more}
    path = os.path.join(cudald.folder, name)
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schema": "cudald/cuda", "libraries": section}, out)
    return path


def table(cudald, name, **content):
    path = os.path.join(cudald.folder, name + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump({"schema": "cudald/" + name, "checked": "2030-01-02", "source": "notes", **content}, out)
    return path


def test_other_tables(tap, cudald):
    """Rows of the tables beside cuda.json."""
    pip = [{"distribution": "mine", "oldest": "1", "version": "2", "folder": "mine/lib", "platform": "linux"}]
    providers = table(cudald, "providers", providers=[{"name": "libmine.so.7", "pip": pip}])
    messages = table(cudald, "messages", rows=[{"text": "mine lacks {library}", "kind": "hard", "who": "MINE",
                                                "means": "it is gone", "checked": "2030-01-03"}])
    both = ["--knowledge", providers, "--knowledge", messages]
    told = cudald.run("provides", "libmine.so.7", *both)
    tap.ok("mine" in told.out and "site-packages/mine/lib" in told.out and "2030-01-02" in told.out,
           "a newer row of providers is told, with its day", [told.out, told.err])
    said = cudald.run("explain", "--error", "mine lacks libmine.so.7", *both)
    tap.ok("MINE" in said.out and "2030-01-03" in said.out, "a newer message is recognised", [said.out, said.err])
    unknown = cudald.run("explain", "--error", "mine lacks libmine.so.7")
    tap.ok(unknown.status == 2, "without the file it is not", [unknown.out])
    days = cudald.run("--version", "-v", *both).out.split("\n")
    tap.ok(any("providers" in day and "2030-01-02" in day for day in days) and
           any("messages" in day and "2030-01-03" in day for day in days), "--version -v tells their days", days)
    wrong = table(cudald, "gpu-use", rows=[{"module": "x", "through": "y"}])
    fault = cudald.run("./app", "--knowledge", providers, "--knowledge", wrong)
    tap.ok(fault.status == 2 and "gpu-use.json" in fault.err and "rows, row 1: lacks `extra`" in fault.err,
           "a fault is told with its file and row", [fault.err])
    other = table(cudald, "elsewhere", rows=[])
    tap.ok("`schema` must be" in cudald.run("./app", "--knowledge", other).err, "a file of no table is refused")


def test_knowledge(tap, cudald):
    with open(SCHEMA, encoding="utf-8") as schema, open(TABLE, encoding="utf-8") as table:
        faults = list(Schema(json.load(schema)).problems(json.load(table)))
    tap.ok(not faults, "the table that is built in fits the schema of --knowledge", faults)
    row = {"kind": "cudart", "first": "14.0", "last": None, "linux": "libcudart.so.14", "windows": "cudart64_14.dll"}
    newer = overlay(cudald, "newer.json", [row])
    before, after = cudald.run("provides", "libcudart.so.14"), cudald.run(
        "provides", "libcudart.so.14", "--knowledge", newer)
    tap.ok("CUDA 14" not in before.out and "CUDA runtime of CUDA 14.0 and newer" in after.out,
           "a newer row is told", [before.out, after.out])
    both = cudald.run("provides", "libcudart.so.13", "--knowledge", newer).out
    tap.ok("CUDA 13.0" in both, "those that are built in stay", [both])
    doubtful = cudald.run("provides", "libcudart.so.14", "--knowledge",
                          overlay(cudald, "doubtful.json", [row], proof=None)).out
    tap.ok("CUDA 14" not in doubtful, "a row that no test repeats is no fact", [doubtful])
    wrong = cudald.run("./app", "--knowledge", overlay(cudald, "wrong.json", [row, {**row, "first": "new"}]))
    place = "libraries, row 2: `first` must be a version"
    tap.ok(wrong.status == 2 and "wrong.json" in wrong.err and place in wrong.err,
           "a fault is told with its file and place", [wrong.err])
    days = cudald.run("--version", "-v").out
    tap.ok("providers" in days and "cuda, driver" in days, "--version -v tells the day of each table", [days])
    old = cudald.run("check", "-v", "./app", SOURCE_DATE_EPOCH="1900000000")
    tap.ok("older than 180 days: conda-packages (20" in old.err, "-v says which tables are old", [old.err])
    fresh = cudald.run("check", "-v", "./app", SOURCE_DATE_EPOCH="1795300000")
    quiet = cudald.run("check", "./app", SOURCE_DATE_EPOCH="1900000000")
    tap.ok("older than" not in fresh.err + quiet.err, "and only then", [fresh.err, quiet.err])
