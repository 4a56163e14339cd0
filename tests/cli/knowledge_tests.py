"""Newer rows by --knowledge, and the days of the tables."""

import json
import os

from schema import Schema

HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = os.path.join(HERE, "..", "..")
SCHEMA = os.path.join(PROJECT, "docs", "knowledge-schema.json")
TABLES_SCHEMA = os.path.join(PROJECT, "docs", "knowledge-tables-schema.json")
TABLE = os.path.join(PROJECT, "data", "cuda.json")
LISTS = {"conda-packages": ["rows"], "first-seen": ["rows"], "gpu-use": ["rows"], "known-dlopens": ["rows"],
         "messages": ["rows"], "providers": ["providers"], "system-packages": ["debian", "by_hand"]}


def spoilt(value):
    """Copies of a row, each with one thing in it that does not belong there."""
    if isinstance(value, list):
        for changed in spoilt(value[0]) if value else ():
            yield [changed, *value[1:]]
    if not isinstance(value, dict):
        return
    yield {**value, "unheard-of": 1}
    for key, held in value.items():
        yield {name: each for name, each in value.items() if name != key}
        yield {**value, key: 7 if not isinstance(held, int) or isinstance(held, bool) else "7"}
        yield {**value, key: None}
        for changed in spoilt(held):
            yield {**value, key: changed}


def newer_files():
    """Files for --knowledge: each table as it is built in, and with one row of each length, spoilt in each way."""
    for name, lists in LISTS.items():
        with open(os.path.join(PROJECT, "data", name + ".json"), encoding="utf-8") as file:
            built_in = json.load(file)
        head = {"schema": f"cudald/{name}", "checked": "2030-01-02"}
        yield {"source": "notes", **built_in, **head}
        for key in lists:
            yield {**head, "source": "notes", key: {}}
            by_keys = {tuple(sorted(row)): row for row in built_in[key]}
            for row in by_keys.values():
                yield {**head, key: [row]}
                for changed in spoilt(row):
                    yield {**head, "source": "notes", key: [changed]}


def test_schema_of_tables(tap, cudald):
    """The schema in docs/ takes what the program takes, and refuses what it refuses."""
    with open(TABLES_SCHEMA, encoding="utf-8") as text:
        schema = Schema(json.load(text))
    path = os.path.join(cudald.folder, "newer-table.json")
    taken, refused, otherwise = 0, 0, []
    # As many as take seconds; tests/formats/knowledge_schema.py asks another validator about all.
    for content in list(newer_files())[::4]:
        with open(path, "w", encoding="utf-8") as out:
            json.dump(content, out)
        status = cudald.run("--version", "-v", "--knowledge", path).status
        fits = not schema.problems(content)
        taken, refused = taken + fits, refused + (not fits)
        if (status == 0) != fits:
            otherwise.append(f"status {status}, {'fits' if fits else 'does not fit'}: {json.dumps(content)[:300]}")
    tap.ok(taken > 30 and refused > 100 and not otherwise,
           f"the schema of newer rows takes {taken} files and refuses {refused}, as the program does", otherwise[:20])


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
    said = cudald.run("explain", "-v", "--error", "mine lacks libmine.so.7", *both)
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
    tap.ok("older than 180 days: changed-names (20" in old.err, "-v says which tables are old", [old.err])
    fresh = cudald.run("check", "-v", "./app", SOURCE_DATE_EPOCH="1795300000")
    quiet = cudald.run("check", "./app", SOURCE_DATE_EPOCH="1900000000")
    tap.ok("older than" not in fresh.err + quiet.err, "and only then", [fresh.err, quiet.err])
