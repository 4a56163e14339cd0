"""check as a gate: each target by itself, folders, members of packages, configuration, suppressions, baselines."""

import json
import zipfile

from schema import Schema


def test_check_many(tap, cudald):
    ending = cudald.run("check", "./app", "./broken")
    lines = ending.out.splitlines()
    tap.ok(ending.status == 1 and sum(line.startswith(("LOADS", "FAILS")) for line in lines) == 2,
           "check judges each target by itself", lines)
    tap.ok("2 targets: 1 FAILS, 1 LOADS." in lines and "  error[CUD101] library-not-found: 1 in 1 target" in lines,
           "and sums up by finding", lines)
    tap.ok(lines[0].startswith("FAILS") and lines[1].startswith("LOADS") and lines[3].startswith("./broken: "),
           "the worst comes first, and findings follow by target", lines)
    tap.ok("slowest: " not in ending.out and "slowest: " in cudald.run("check", "-v", "./app", "./broken").out,
           "-v names the slowest")
    together = cudald.run("check", "--together", "./app", "./broken").out
    tap.ok(sum(line.startswith(("LOADS", "FAILS")) for line in together.splitlines()) == 1,
           "--together is one process", [together])
    ending = cudald.run("check", "-f", "json", "./app", "./broken")
    answers = json.loads(ending.out)
    tap.ok(ending.status == 1 and [answer["verdict"] for answer in answers] == ["loads", "fails"],
           "-f json of several targets is an array", [ending.out[:200], ending.err])


def test_folders(tap, cudald):
    folder = cudald.folder / "dist"
    (folder / "sub").mkdir(parents=True)
    with zipfile.ZipFile(folder / "pkg-1.0-cp311-cp311-linux_x86_64.whl", "w") as wheel:
        wheel.write(cudald.folder / "lib" / "libone.so", "pkg/libone.so")
        wheel.writestr("pkg/__init__.py", "")
    (folder / "sub" / "libtwo.so").write_bytes((cudald.folder / "lib" / "libtwo.so").read_bytes())
    (folder / "notes.txt").write_text("x")
    for given in ("dist", "./dist", str(folder)):
        lines = cudald.run("check", "-f", "ndjson", given).out.splitlines()
        targets = [json.loads(line)["targets"][0]["given"] for line in lines]
        tap.ok([target.rsplit("/", 1)[1] for target in targets]
               == ["pkg-1.0-cp311-cp311-linux_x86_64.whl", "libtwo.so"], f"{given} is what is in it", targets)
    (cudald.folder / "nothing").mkdir()
    ending = cudald.run("check", "./nothing")
    tap.ok(ending.status == 3 and "./nothing: no packages or libraries found in this directory" in ending.err,
           "a folder without any cannot be judged", [ending.err])
    member = "dist/pkg-1.0-cp311-cp311-linux_x86_64.whl!/pkg/libone.so"
    report = json.loads(cudald.run("explain", "-f", "json", member).out)
    tap.ok(report["objects"][0]["path"] == "pkg-1.0-cp311-cp311-linux_x86_64.whl!/pkg/libone.so"
           and any(finding["subject"] == "libtwo.so" for finding in report["findings"]),
           "a member of a wheel is a target", [report["targets"], report["findings"]])
    ending = cudald.run("check", "dist/pkg-1.0-cp311-cp311-linux_x86_64.whl!/pkg/none.so")
    tap.ok(ending.status == 3, "a member that is not there is unreadable", [ending.out, ending.err])


def test_configuration(tap, cudald):
    path = cudald.folder / "cudald.toml"

    def run(text, *words, **variables):
        path.write_text(text)
        return cudald.run(*words, **variables)

    try:
        ending = run('fail-on = "never"\n', "check", "./broken")
        tap.ok(ending.status == 0, "cudald.toml in the current folder counts", [ending.err])
        tap.ok(cudald.run("check", "--fail-on", "error", "./broken").status == 1, "an option goes before it")
        tap.ok(cudald.run("check", "./broken", CUDALD_FAIL_ON="error").status == 1, "so does a variable")
        tap.ok(cudald.run("check", "--isolated", "./broken").status == 1, "--isolated reads none")
        tap.ok(cudald.run("check", "--config", "fail-on=error", "./broken").status == 1, "--config KEY=VALUE")
        shown = cudald.run("config", "show").out
        tap.ok(f'fail-on = "never"  # {path}:1' in shown, "config show says where it comes from", [shown])
        shown = json.loads(cudald.run("config", "show", "-f", "json").out)
        tap.ok(shown["settings"][0]["from"] == f"{path}:1", "also as JSON", [shown])
        ending = run('fial-on = "never"\n', "check", "./broken")
        tap.ok(ending.status == 2 and "did you mean `fail-on`?" in ending.err, "an unknown key is wrong usage",
               [ending.err])
        tap.ok(cudald.run("--help").status == 0, "help is given all the same")
        ending = run("[policy]\nforbid-absolute-rpath = true\nmax-glibc = \"2.0\"\n", "check", "/bin/sh")
        tap.ok(ending.status == 1 and "CUD701" in ending.out and "\nLOADS" in ending.out,
               "a broken rule is an error, and the verdict stays", [ending.out, ending.err])
        template = cudald.run("config", "init").out
        path.write_text(template)
        tap.ok(cudald.run("check", "./app").status == 0, "config init writes what can be read")
        test_suppressions(tap, cudald, run)
    finally:
        path.unlink()


def test_suppressions(tap, cudald, run):
    entry = '[[ignore]]\ncode = "CUD101"\nsubject = "libgone.so"\nreason = "known"\n'
    ending = run(entry, "check", "./broken")
    tap.ok(ending.status == 0 and "CUD101" not in ending.out and ending.out.startswith("FAILS"),
           "what is suppressed is not told; the verdict stays", [ending.out])
    ending = cudald.run("check", "./app")
    tap.ok(ending.status == 0 and "CUD903" in ending.out, "what is not used is told", [ending.out])
    ending = run(entry + "until = 2020-01-01\n", "check", "./broken")
    tap.ok(ending.status == 1 and "has expired on 2020-01-01" in ending.out, "and what has expired", [ending.out])
    run("", "check", "./broken", "--write-baseline", "known.json")
    ending = cudald.run("check", "--baseline", "known.json", "./broken")
    tap.ok(ending.status == 0 and "CUD101" not in ending.out, "a baseline holds what is known", [ending.out])
    moved = cudald.folder / "moved"
    moved.mkdir()
    (moved / "lib").symlink_to("../lib")
    (moved / "broken").write_bytes((cudald.folder / "broken").read_bytes())
    (moved / "broken").chmod(0o755)
    ending = cudald.run("check", "--baseline", "known.json", "moved/broken")
    tap.ok(ending.status == 0, "also where the files have moved", [ending.out])
    ending = cudald.run("check", "--level", "CUD101=note", "./broken")
    tap.ok(ending.status == 0 and "note[CUD101]" in ending.out, "--level changes a level", [ending.out])


def test_other_documents(tap, cudald):
    why = json.loads(cudald.run("why", "-f", "json", "./app", "libtwo.so").out)
    tap.ok([hop["name"] for hop in why["chains"][0]["hops"]] == ["libone.so", "libtwo.so"], "why -f json", [why])
    why = json.loads(cudald.run("why", "-f", "json", "./broken", "libgone.so").out)
    tap.ok(why["chains"][0]["hops"][-1]["status"] == "missing", "why -f json of what is missing", [why])
    tree = json.loads(cudald.run("tree", "-f", "json", "--invert", "libtwo.so", "./app").out)
    tap.ok(tree["asked_by"][0]["name"] == "libtwo.so" and len(tree["objects"]) == 2, "tree --invert -f json", [tree])
    rules = json.loads(cudald.run("rule", "-f", "json", "CUD101").out)["rules"]
    tap.ok([rule["name"] for rule in rules] == ["library-not-found"], "rule -f json", [rules])
    listed = json.loads(cudald.run("rule", "-f", "json").out)["rules"]
    tap.ok(len(listed) == cudald.run("rule").out.count("\nCUD") + 1, "and all of them")


def test_schemas(tap, cudald, source_root):
    """Each document fits the schema that is printed for it, and that is the one in docs/."""
    text = "a: error while loading shared libraries: libx.so.1: cannot open shared object file: No such file"
    (cudald.folder / "cudald.toml").write_text('gpu = ["sm_90"]\n[[ignore]]\ncode = "CUD302"\nreason = "x"\n')
    documents = {
        "image": [cudald.run("show", "-f", "json", name).out for name in ("./app", "lib/libone.so", "/bin/sh")],
        "env": [cudald.run("env", "-f", "json", *words).out for words in ([], ["--prefix", "/usr"])],
        "provides": [cudald.run("provides", "-f", "json", "libcudart.so.12", "libnothing.so.1").out],
        "repair": [cudald.run("repair", "-f", "json", name, "-o", "new.so", "--dry-run").out
                   for name in ("lib/libone.so", "./broken")],
        "diff": [cudald.run("diff", "-f", "json", "./app", name).out for name in ("./app", "./broken")],
        "why": [cudald.run("why", "-f", "json", "./broken", name).out for name in ("libtwo.so", "libgone.so")],
        "requesters": [cudald.run("tree", "-f", "json", "--invert", name, "./broken").out
                       for name in ("libtwo.so", "libgone.so")],
        "rules": [cudald.run("rule", "-f", "json").out],
        "config": [cudald.run("config", "show", "-f", "json").out],
        "message": [cudald.run("explain", "-f", "json", "--error", text).out],
    }
    (cudald.folder / "cudald.toml").unlink()
    cudald.run("env", "--save", "host.json")
    cudald.run("check", "--write-baseline", "base.json", "./broken")
    documents["host"] = [(cudald.folder / "host.json").read_text()]
    documents["baseline"] = [(cudald.folder / "base.json").read_text()]
    for name, texts in documents.items():
        schema = json.loads(cudald.run("schema", name).out)
        stored = json.loads((source_root / "docs" / "schemas" / f"{name}.json").read_text())
        tap.ok(schema == stored, f"cudald schema {name} prints docs/schemas/{name}.json")
        problems = [problem for text in texts for problem in Schema(schema).problems(json.loads(text))]
        tap.ok(not problems, f"{name} fits its schema", problems[:5])
        broken = {key: value for key, value in json.loads(texts[0]).items() if key != schema["required"][-1]}
        tap.ok(Schema(schema).problems(broken), f"the schema of {name} misses what is gone")
