#!/usr/bin/env python3
"""Scans of many wheels, and merges of what they have come to. Writes TAP.

run.py CUDALD

However a scan is divided, started and killed, the merged records are the same to the byte; and each record holds what
`check -f ndjson` says of its target.
"""

import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))

from corpus import make_corpus  # noqa: E402
from scanning import PLAIN, Scans, killed_at, records  # noqa: E402
from schema import Schema  # noqa: E402
from tap import Tap, first  # noqa: E402
from wheel_server import WheelServer  # noqa: E402

# What a target would do that cudald has a fault about: the file's name says which.
MEAN = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void act(const char *path) {
  if (strstr(path, "crashing")) raise(SIGSEGV);
  if (strstr(path, "hanging")) for (;;) pause();
  if (strstr(path, "eating"))
    for (size_t size = 1 << 20; size >= 16; size /= 2)
      while (malloc(size) != NULL) {}
  if (strstr(path, "leaving")) _exit(77);
}
int open(const char *path, int flags, ...) {
  act(path);
  return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open"))(path, flags, 0);
}
int open64(const char *path, int flags, ...) {
  act(path);
  return ((int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64"))(path, flags, 0);
}
"""


def test_shards(tap, scans):
    """N = 1, 2 and 7; returns what all others must come to."""
    ending = scans.scan("whole")
    whole, merge = scans.merged("whole")
    tap.ok(ending.returncode == 0 and merge.returncode == 0 and whole, "one worker judges all",
           [ending.stdout, ending.stderr, merge.stderr])
    for count in (2, 7):
        statuses = [scans.scan(f"of{count}", "--shard", f"{i}/{count}").returncode for i in range(1, count + 1)]
        data, merge = scans.merged(f"of{count}")
        tap.ok(set(statuses) == {0} and merge.returncode == 0 and data == whole,
               f"{count} shards come to the same, to the byte", [statuses, merge.stderr])
    return whole


def test_records(tap, scans, whole, schemas):
    def schema(name):
        with open(os.path.join(schemas, name), encoding="utf-8") as file:
            return Schema(json.load(file))

    all_records = records(whole)
    targets = [record["target"] for record in all_records]
    expected = sorted(os.path.relpath(os.path.join(folder, name), scans.folder)
                      for folder, _, names in os.walk(os.path.join(scans.folder, scans.corpus)) for name in names
                      if not name.startswith(("gone-", "pipe-")))
    tap.ok(targets == sorted(targets) == sorted(expected), "each wheel of the folder is there once, by name",
           first(set(expected) ^ set(targets)))
    problems = [problem for record in all_records for problem in schema("scan-record.json").problems(record)]
    with open(os.path.join(scans.folder, "whole", "list.ndjson"), encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    problems += [problem for row in rows for problem in schema("scan-list.json").problems(row)]
    tap.ok(not problems and len(rows) == len(targets) + 1, "records and list are as their schemas say", first(problems))
    different = []
    for record in all_records:
        said = scans.run("check", "-f", "ndjson", record["target"])
        if json.loads(said.stdout) != record["report"] or said.returncode != record["status"]:
            different.append(record["target"])
    tap.ok(not different, "a record holds what check says of its target", first(different))


def test_launchers(tap, scans, whole):
    """Stand-ins of the variables of Kubernetes and AWS Batch."""
    for name, words, variables in (
            ("kubernetes", ["--shards", "3"], lambda i: {"JOB_COMPLETION_INDEX": str(i)}),
            ("aws", [], lambda i: {"AWS_BATCH_JOB_ARRAY_INDEX": str(i), "AWS_BATCH_JOB_ARRAY_SIZE": "3"})):
        endings = [scans.scan(name, *words, **variables(i)) for i in range(3)]
        data, _ = scans.merged(name)
        tap.ok(data == whole and all(ending.returncode == 0 for ending in endings),
               f"the variables of {name} divide the work", [ending.stderr for ending in endings])
    folders = [sorted(os.listdir(os.path.join(scans.folder, name))) for name in ("kubernetes", "aws")]
    seconds = []
    for name in ("kubernetes", "aws"):
        part = [path for path in scans.parts(name) if "shard-2-of-3" in path]
        seconds.append(subprocess.run(["zstd", "-dcq", *part], capture_output=True, check=True).stdout)
    tap.ok(folders[0] == folders[1] and seconds[0] == seconds[1], "and their shards agree", folders)
    ending = scans.scan("aws", JOB_COMPLETION_INDEX="1")
    tap.ok(ending.returncode == 2 and "--shards N" in ending.stderr, "an index without a number is wrong usage",
           [ending.stderr])


def test_kills(tap, scans, whole, draw):
    """SIGKILL at random times, and on from there."""
    orphans, kills = [], 0
    begun = time.monotonic()
    scans.scan("undisturbed", "--shard", "1/1", "-j", "2")
    longest = (time.monotonic() - begun) / 3  # on any machine so soon that there is more to do
    for _ in range(25):
        left, at_work = killed_at(scans.start("killed", "--shard", "1/1", "-j", "2"), draw.uniform(0.02, longest))
        orphans += left
        kills += at_work
        if not at_work:
            break
    ending = scans.scan("killed", "--shard", "1/1")
    data, merge = scans.merged("killed")
    tap.ok(data == whole and merge.returncode == 0, f"killed {kills} times and resumed, it comes to the same",
           [ending.stdout, ending.stderr, merge.stderr])
    tap.ok(kills > 1, "it was killed at work more than once", [kills])
    tap.ok(not orphans, "nothing that it had started outlives it", orphans)
    lines, parts = 0, scans.parts("killed")
    for path in parts:
        # Killed between sealing a part and removing the open one: its records are in both.
        if not path.endswith(".zst") and any(part.startswith(path.removesuffix(".ndjson") + "-") for part in parts):
            continue
        command = ["zstd", "-dcq", path] if path.endswith(".zst") else ["cat", path]
        lines += subprocess.run(command, capture_output=True, check=True).stdout.count(b"\n")
    tap.ok(lines == len(records(whole)), "no target was judged to its end twice",
           [f"{lines} records of {len(records(whole))} targets"])
    ending = scans.scan("killed", "--shard", "1/1")
    tap.ok(ending.stdout.startswith("scan: 0 targets"), "what is done stays done", [ending.stdout])


def test_dynamic(tap, scans, whole, draw):
    workers = [scans.start("dynamic", "--dynamic", "-j", "1") for _ in range(3)]
    killed_at(workers[0], draw.uniform(0.05, 0.3))
    statuses = [worker.wait() for worker in workers[1:]]
    ending = scans.scan("dynamic", "--dynamic")
    data, merge = scans.merged("dynamic")
    tap.ok(data == whole and statuses == [0, 0] and ending.returncode == 0 and merge.returncode == 0,
           "workers that take tickets, one of them killed, come to the same", [statuses, ending.stderr, merge.stderr])
    mixed = scans.scan("of2", "--dynamic")
    tap.ok(mixed.stdout.startswith("scan: 0 targets"), "with --dynamic, what shards have done stays done",
           [mixed.stdout])


def test_damage(tap, scans, whole):
    part = [path for path in scans.parts("of7") if "shard-3-of-7" in path][0]
    with open(part, "rb") as file:
        data = file.read()
    os.remove(part)
    _, merge = scans.merged("of7")
    missing = [line for line in merge.stderr.splitlines() if line.startswith("cudald: no record of: ")]
    tap.ok(merge.returncode == 3 and missing, "what is missing is named, and the exit status is 3", [merge.stderr])
    with open(part, "wb") as file:
        file.write(data[:-40])
    merge = scans.run("merge", "of7")
    tap.ok(merge.returncode == 2 and "is damaged" in merge.stderr, "a damaged part ends a merge", [merge.stderr])
    ending = scans.scan("of7", "--shard", "3/7")
    again, merge = scans.merged("of7")
    tap.ok("is damaged" in ending.stderr and again == whole and merge.returncode == 0,
           "a damaged part is judged once more", [ending.stderr, merge.stderr])


def test_disagreement(tap, scans):
    settings = os.path.join(scans.folder, "settings.toml")
    with open(settings, "w", encoding="utf-8") as file:
        file.write('[policy]\nmax-glibc = "2.17"\n[[ignore]]\ncode = "CUD1"\nreason = "a trial"\n')
    for words, variables, wanted in ((["--driver", "535"], {}, "driver=535"),
                                     ([], {"CUDALD_DRIVER": "535"}, "driver=535"),
                                     (["--config", settings], {}, "policy.max-glibc=2.17")):
        ending = scans.scan("whole", *words, **variables)
        tap.ok(ending.returncode == 2 and wanted in ending.stderr,
               f"answers of different questions are not mixed: {wanted}", [ending.stderr])
    ending = scans.run("scan", "elsewhere", "--state", "whole")
    tap.ok(ending.returncode == 2 and "--relist" in ending.stderr, "nor those of different lists", [ending.stderr])
    ending = scans.run("scan", "--state", "whole")
    tap.ok(ending.returncode == 0, "the list need not be named again", [ending.stderr])
    ending = scans.run("scan", "corpus")
    tap.ok(ending.returncode == 2 and "--state" in ending.stderr, "without a state folder nothing is scanned")
    ending = scans.run("merge", "corpus")
    tap.ok(ending.returncode == 2 and "no scan was begun here" in ending.stderr, "a folder of no scan is not merged",
           [ending.stderr])
    page = os.path.join(scans.folder, "page.json")
    with open(page, "w", encoding="utf-8") as file:
        json.dump({"files": [{"filename": "a-1-py3-none-any.whl",
                              "url": "https://example.org/a-1-py3-none-any.whl", "hashes": {}}]}, file)
    ending = scans.run("scan", "page.json", "--state", "remote")
    tap.ok(ending.returncode == 2 and "add --online" in ending.stderr,
           "addresses are not read unless that is asked for", [ending.stderr])


def test_online(tap, scans):
    """Wheels on a server: the same reports as of the files; what cannot be reached is tried again."""
    if "libcurl" in scans.run("scan", "page.json", "--state", "without", "--online").stdout:
        tap.skip("wheels on a server", "this cudald has no libcurl")
        return
    folder = os.path.join(scans.folder, "corpus")
    files = {}
    for name in sorted(name for name in os.listdir(folder) if name.endswith(".whl"))[:6]:
        with open(os.path.join(folder, name), "rb") as file:
            files[name] = file.read()
    server = WheelServer(files)
    try:
        rows = [{"filename": name, "url": f"{server.url}/ok/{below}{name}", "size": len(content), "hashes": {}}
                for name, content in files.items() for below in ("", "gone-")]
        with open(os.path.join(scans.folder, "served.json"), "w", encoding="utf-8") as file:
            json.dump({"files": rows}, file)
        ending = scans.run("scan", "served.json", "--state", "served", "--online", "--no-cache")
    finally:
        server.close()
    data, merge = scans.merged("served")
    good = {os.path.basename(record["target"]): record["report"] for record in records(data) if record["report"]}
    local = {os.path.basename(record["target"]): record["report"] for record in records(scans.merged("whole")[0])}

    def without_place(report):
        text = json.dumps(report, sort_keys=True)
        for place in ("/.online/0/", folder + "/", "corpus/"):
            text = text.replace(place, "")
        return text

    different = [name for name in good if without_place(good[name]) != without_place(local[name])]
    tap.ok(set(good) == set(files) and not different and merge.returncode == 0,
           "wheels on a server are judged as the files are", [different, ending.stdout, ending.stderr])
    lost = [record for record in records(data) if "/gone-" in record["target"]]
    tap.ok(len(lost) == len(files) and ending.returncode == 3
           and all(record["outcome"] == "failed" and "404" in record["message"] for record in lost),
           "what cannot be reached is not judged, so that --retry asks again",
           [record["outcome"] for record in lost])


def test_relist(tap, scans):
    folder = os.path.join(scans.folder, "growing")
    make_corpus(folder, 5, seed=7, mean=False)
    scans.run("scan", "growing", "--state", "grown")
    make_corpus(folder, 8, seed=7, mean=False)  # the first five are the same bytes
    ending = scans.run("scan", "growing", "--state", "grown", "--relist")
    data, merge = scans.merged("grown")
    tap.ok(ending.stdout.startswith("scan: 3 targets") and merge.returncode == 0 and len(records(data)) == 8,
           "--relist judges what is new alone", [ending.stdout, merge.stderr])


def test_documents(tap, scans, whole):
    merge = scans.run("merge", "of2", "-o", "ndjson=all.ndjson.gz", "-o", "ndjson=all.ndjson.zst",
                      "-o", "html=all.html", "-o", "sarif=all.sarif")
    with gzip.open(os.path.join(scans.folder, "all.ndjson.gz")) as file:
        unpacked = file.read()
    zstd = subprocess.run(["zstd", "-dcq", "all.ndjson.zst"], cwd=scans.folder, capture_output=True, check=True).stdout
    tap.ok(merge.returncode == 0 and unpacked == whole == zstd, "records are compressed as the name says",
           [merge.stderr])
    tap.ok(f"{len(records(whole))} targets: " in merge.stdout, "the text sums up", [merge.stdout])
    targets = [record["target"] for record in records(whole)]
    scans.run("check", "-o", "sarif=check.sarif", *targets)

    def results(name):
        with open(os.path.join(scans.folder, name), encoding="utf-8") as file:
            return sorted(json.dumps(result, sort_keys=True) for run in json.load(file)["runs"]
                          for result in run["results"])

    tap.ok(results("all.sarif") == results("check.sarif"), "SARIF has the results that check writes of all targets")
    with open(os.path.join(scans.folder, "all.html"), encoding="utf-8") as file:
        page = file.read()
    codes = {finding["code"] for record in records(whole) for finding in record["report"]["findings"]}
    tap.ok(codes and all(code in page for code in codes) and "<h2>By package</h2>" in page,
           "the page tells of each finding", [codes])
    to_stdout = scans.run("merge", "of2", "-f", "ndjson")
    tap.ok(to_stdout.stdout.encode() == whole, "-f ndjson writes to standard output")


def test_suppressions(tap, scans, whole):
    """An entry is of no use only if it was of use in no part of the scan."""
    findings = [finding["code"] for record in records(whole) for finding in record["report"]["findings"]]
    rarest = min(set(findings), key=findings.count)
    settings = os.path.join(scans.folder, "ignored.toml")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(f'[[ignore]]\ncode = "{rarest}"\nreason = "a trial"\n'
                   '[[ignore]]\ncode = "CUD5"\nobject = "nowhere*"\nreason = "a trial"\nuntil = 2999-01-01\n')
    scans.scan("ignored", "--config", settings, "--shard", "1/3")
    early = scans.run("merge", "ignored")
    for shard in (2, 3):
        scans.scan("ignored", "--config", settings, "--shard", f"{shard}/3")
    tap.ok(early.returncode == 3 and "CUD903" not in early.stdout, "nothing is said of entries before all is judged",
           [early.stdout])
    merge = scans.run("merge", "ignored", "-o", "sarif=ignored.sarif", "-o", "html=ignored.html",
                      "-o", "ndjson=ignored.ndjson")
    told = [line for line in merge.stdout.splitlines() if "CUD903" in line]
    wanted = "note[CUD903]: the entry that ignores CUD5 object=nowhere* ignored nothing in this scan"
    tap.ok(merge.returncode == 0 and told == [wanted], "which entry was of no use is told once", [merge.stdout])
    with open(os.path.join(scans.folder, "ignored.sarif"), encoding="utf-8") as file:
        results = [result["ruleId"] for run in json.load(file)["runs"] for result in run["results"]]
    with open(os.path.join(scans.folder, "ignored.html"), encoding="utf-8") as file:
        page = file.read()
    tap.ok(results.count("CUD903") == 1 and rarest not in results and "CUD903" in page, "by SARIF and the page as well",
           [results[-3:]])
    with open(os.path.join(scans.folder, "ignored.ndjson"), "rb") as file:
        by = [record["ignored_by"] for record in records(file.read())]
    tap.ok(sum(map(len, by)) == sum(rarest in [finding["code"] for finding in record["report"]["findings"]]
                                    for record in records(whole)), "records say by which entry something was ignored",
           [by])


def test_killed_merge(tap, scans, draw):
    """Parts enough that some are put together first; a merge that is killed leaves no file behind."""
    for shard in range(1, 61):
        scans.scan("many", "--shard", f"{shard}/60", "-j", "1")
    results = os.path.join(scans.folder, "results")
    os.mkdir(results)
    before = sorted(os.listdir(os.path.join(scans.folder, "many")))
    begun = time.monotonic()
    scans.run("merge", "many", "-o", "html=all.html")
    longest = time.monotonic() - begun
    kills, left = 0, set()
    for _ in range(30):
        merge = subprocess.Popen([scans.cudald, "merge", "many", "-o", "ndjson=results/all.ndjson.zst",
                                  "-o", "sarif=results/all.sarif"], cwd=scans.folder, env=PLAIN,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0, longest))
        at_work = merge.poll() is None
        merge.kill()  # it has no children to look for, which would take longer than it does
        merge.wait()
        kills += at_work
        longest *= 1 if at_work else 0.8  # it was measured on a machine that had more to do
        left |= set(os.listdir(results)) - {"all.ndjson.zst", "all.sarif"}
    after = sorted(os.listdir(os.path.join(scans.folder, "many")))
    tap.ok(before == after and not left and len(scans.parts("many")) > 40 and kills,
           f"a merge that was killed, {kills} times, leaves nothing behind",
           [sorted(set(after) ^ set(before)), left, len(scans.parts("many")), kills])


def test_broken_targets(tap, scans):
    """Crashes, endless loops and greed of the judging process itself: by a library that acts for it."""
    folder = os.path.join(scans.folder, "bad")
    make_corpus(folder, 3, seed=3, mean=False)
    for name in ("crashing", "hanging", "eating", "leaving"):
        with open(os.path.join(folder, f"{name}-1.0-py3-none-any.whl"), "wb") as file:
            file.write(b"PK")
    source, library = (os.path.join(scans.folder, name) for name in ("mean.c", "mean.so"))
    with open(source, "w", encoding="utf-8") as file:
        file.write(MEAN)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    ending = scans.run("scan", "bad", "--state", "bad-state", "--timeout", "2", "--max-memory", "256MiB",
                       LD_PRELOAD=library)
    data, merge = scans.merged("bad-state")
    outcomes = {os.path.basename(record["target"]).split("-")[0]: record["outcome"] for record in records(data)}
    expected = {"crashing": "crashed", "hanging": "timed-out", "eating": "out-of-memory", "leaving": "failed"}
    tap.ok(ending.returncode == 3 and {name: outcomes.get(name) for name in expected} == expected,
           "a target that crashes, hangs or eats memory is told of as that", [outcomes, ending.stdout, ending.stderr])
    tap.ok(sum(outcome == "judged" for outcome in outcomes.values()) == 3 and merge.returncode == 0,
           "and the others are judged", [outcomes, merge.stderr])
    tap.ok("4 not judged" in ending.stdout and "4 not judged" in merge.stdout, "both say so", [ending.stdout])
    ending = scans.run("scan", "bad", "--state", "bad-state")
    tap.ok(ending.stdout.startswith("scan: 0 targets"), "they are not tried again by themselves", [ending.stdout])
    ending = scans.run("scan", "bad", "--state", "bad-state", "--retry")
    data, merge = scans.merged("bad-state")
    tap.ok(ending.returncode == 0 and merge.returncode == 0
           and all(record["outcome"] == "judged" for record in records(data)), "--retry tries them again",
           [ending.stdout, merge.stderr])


def main():
    tap = Tap()
    if len(sys.argv) != 2:
        tap.bail_out("usage: run.py CUDALD")
    draw = random.Random()
    with tempfile.TemporaryDirectory(prefix="cudald-scan-") as name:
        make_corpus(os.path.join(name, "corpus"))
        scans = Scans(os.path.abspath(sys.argv[1]), name)
        whole = test_shards(tap, scans)
        test_records(tap, scans, whole, os.path.join(HERE, "..", "..", "docs", "schemas"))
        test_launchers(tap, scans, whole)
        test_kills(tap, scans, whole, draw)
        test_dynamic(tap, scans, whole, draw)
        test_damage(tap, scans, whole)
        test_disagreement(tap, scans)
        test_online(tap, scans)
        test_relist(tap, scans)
        test_documents(tap, scans, whole)
        test_suppressions(tap, scans, whole)
        test_killed_merge(tap, scans, draw)
        test_broken_targets(tap, scans)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
