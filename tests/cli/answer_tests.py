"""What the answers hold: text, JSON by its schema, files, and names that mean harm."""

import json
import os
import re
import subprocess
import zipfile

from program import TIME_LIMIT
from schema import Schema


def test_answers(tap, cudald):
    brief = cudald.run("./broken", "--width", "80").out
    rows = sum(1 + (len(line) - 1) // 80 for line in brief.splitlines())
    tap.ok(rows <= 12, "one missing library takes at most 12 lines of 80 columns", brief.splitlines())
    # Where only a search of packages is known, it is not called a fix.
    for part in ["FAILS", "needed by", "fix: " if "fix: " in brief else "find its package: ", "Searched: ",
                 "Next: cudald explain -v"]:
        tap.ok(part in brief, f"the first screen has: {part}", brief.splitlines())
    story = cudald.run("-v", "./broken").out
    for part in [
        "error[CUD101] library-not-found",
        "needed by",
        "searched, in this order",
        "DT_RUNPATH",
        "/etc/ld.so.cache",
        "result",
    ]:
        tap.ok(part in story, f"the story of a missing library has: {part}", story.splitlines())
    tap.ok(
        len(cudald.run("./app").out.splitlines()) <= 3, "a healthy one is short", [cudald.run("./app").out]
    )
    tap.ok(cudald.run("-q", "./broken").out == story.splitlines()[0] + "\n", "-q is the verdict")
    found = cudald.run("./app", "-l", "libtwo.so").out
    tap.ok(
        "libone.so" in found and "DT_RUNPATH" in found and "found" in found,
        "-l tells how it was found",
        found.splitlines(),
    )
    inherited = cudald.run("./app", "--env", "LD_LIBRARY_PATH=/elsewhere", "-l", "libone.so").out
    tap.ok("/elsewhere" in inherited, "--env counts", inherited.splitlines())
    story = cudald.run("./broken", LD_LIBRARY_PATH="/elsewhere").out
    tap.ok("/elsewhere" in story, "so does the environment of the caller", story.splitlines())
    for words in (["--clear-env", "./broken"], ["--sysroot", ".", "/broken"]):
        story = cudald.run(*words, LD_LIBRARY_PATH="/elsewhere").out
        tap.ok("/elsewhere" not in story and "FAILS" in story, f"{words} does not see it", story.splitlines())
    for code in re.findall(r"^(CUD\d+)", cudald.run("rule").out, re.MULTILINE):
        page, same = cudald.run("rule", code), cudald.run("--explain", code)
        tap.ok(
            page.status == 0 and page.out == same.out and len(page.out.splitlines()) > 8,
            f"{code} has a page",
            [page.err],
        )


def test_messages(tap, cudald):
    text = (
        "./elsewhere: error while loading shared libraries: libnowhere.so.1: "
        "cannot open shared object file: No such file"
    )
    alone = cudald.run("explain", "--error", text)
    tap.ok(alone.status == 0 and "the dynamic loader" in alone.out, "--error alone explains the message",
           [alone.out, alone.err])
    read = cudald.run("explain", "--error", "-", stdin=text)
    tap.ok(read.out == alone.out, "--error - reads it", [read.out, read.err])
    here = cudald.run("explain", "--error", text, "./app")
    tap.ok(here.out.startswith("RISK") and "Nothing in this process needs libnowhere.so.1" in here.out,
           "with a program it says what it means here", [here.out])
    named = text.replace("elsewhere", "broken")
    asked = cudald.run("explain", "--error", named)
    tap.ok(asked.out.startswith("FAILS  broken"), "a program that the message names is asked", [asked.out])
    other = cudald.run("explain", "--error", named, "./app")
    tap.ok(other.out.startswith("RISK"), "and is not opened by another one", [other.out])
    told = json.loads(cudald.run("explain", "-f", "json", "--error", text, "./app").out)
    tap.ok(told["message"]["library"] == "libnowhere.so.1" and told["message"]["kind"] == "hard", "and so does JSON",
           [told.get("message")])
    none = cudald.run("explain", "--error", "segmentation fault")
    tap.ok(none.status == 2 and "does not recognise this message" in none.err,
           "a message that is not known is a usage error", [none.out, none.err])
    file = cudald.run("explain", "--error", "app")
    tap.ok(file.status == 2 and "app is a file, and --error takes the message itself" in file.err,
           "and so is the name of a file, with the way to read it", [file.out, file.err])


def test_json(tap, cudald, source_root):
    document = json.loads((source_root / "docs" / "json-schema.json").read_text())
    tap.ok(
        json.loads(cudald.run("schema", "report").out) == document,
        "cudald schema report prints docs/json-schema.json",
    )
    schema = Schema(document)
    for words in [
        ["./app"],
        ["./broken"],
        ["./nothing-here"],
        ["./text.txt"],
        ["--bindings", "./app"],
        ["--symbols", "none", "./broken"],
        ["--dlopen", "libgone.so", "--dlopen", "libtwo.so@libone.so,now", "./app"],
        ["--sysroot", ".", "--libc", "musl-1.2", "--platform", "linux-x86_64", "/app"],
        ["--clear-env", "/bin/sh"],
    ]:
        for output_format in ("json", "ndjson"):
            text = cudald.run("explain", "-f", output_format, *words).out
            problems = schema.problems(json.loads(text))
            tap.ok(not problems, f"-f {output_format} {' '.join(words)} fits the schema", problems[:5])
            one_line = text.count("\n") == 1
            tap.ok(
                one_line == (output_format == "ndjson"), f"-f {output_format} {' '.join(words)} has its shape"
            )
    good = json.loads(cudald.run("-f", "json", "./broken").out)
    for place, wrong in [
        ("verdict", "maybe"),
        ("schema_version", "2.0"),
        ("targets", {}),
        ("findings", None),
    ]:
        tap.ok(schema.problems({**good, place: wrong}), f"the check sees a wrong {place}")
    del good["objects"][0]["needed"]
    tap.ok(schema.problems(good), "the check sees a missing field")
    image = json.loads(cudald.run("show", "-f", "json", "lib/libone.so").out)
    tap.ok(
        image["soname"] == "libone.so" and image["needed"] == [{"name": "libtwo.so"}], "show -f json", [image]
    )


def test_wheels(tap, cudald, source_root):
    document = json.loads((source_root / "docs" / "wheel-schema.json").read_text())
    tap.ok(
        json.loads(cudald.run("schema", "wheel").out) == document,
        "cudald schema wheel prints docs/wheel-schema.json",
    )
    names = [f"pkg-{number}.0-cp311-cp311-manylinux_2_17_x86_64.whl" for number in (1, 2)]
    for name in names:
        with zipfile.ZipFile(cudald.folder / name, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.write(cudald.folder / "lib" / "libone.so", "pkg/libone.so")
    text = cudald.run("show", *names).out
    tap.ok(text.count("  external    libtwo.so ") == 2 and text.count("\n\n") == 1,
           "show tells wheels one after another", [text])
    quiet = cudald.run("show", "-q", *names, "lib/libone.so").out.splitlines()
    verdicts = [line for line in quiet if line.startswith("NO TAG")]
    tap.ok(len(verdicts) == 2 and "  package" not in "".join(quiet), "show -q tells the verdicts", quiet)
    answers = [json.loads(line) for line in cudald.run("show", "-f", "ndjson", *names).out.splitlines()]
    problems = [problem for answer in answers for problem in Schema(document).problems(answer)]
    tap.ok(not problems, "what show -f ndjson writes of wheels fits the schema", problems[:5])
    tap.ok(
        [answer["files"][0]["needed"][0]["name"] for answer in answers] == ["libtwo.so"] * 2
        and answers[0]["external"][0]["members"] == ["pkg/libone.so"],
        "show -f ndjson writes a document for each wheel",
        answers,
    )
    (cudald.folder / "bad-1.0-py3-none-any.whl").write_bytes(b"PK")
    ending = cudald.run("show", "bad-1.0-py3-none-any.whl", names[0])
    tap.ok(ending.status == 3 and "libtwo.so" in ending.out, "a bad wheel does not hide the next", [ending.err])


def test_output_file(tap, cudald):
    path = cudald.folder / "story"
    expected = cudald.run("./broken").out
    ending = cudald.run("./broken", "-o", "story")
    tap.ok(ending.out == "" and path.read_text() == expected, "-o takes the answer")
    cudald.run("-o", "story", "--sysroot", "/no/such/folder", "./app")
    tap.ok(path.read_text() == expected, "wrong usage leaves the file as it was")
    link = cudald.folder / "link"
    link.symlink_to("story")
    cudald.run("./app", "-o", "link")
    tap.ok(link.is_symlink() and path.read_text() == cudald.run("./app").out, "a symbolic link stays one")
    tap.ok(cudald.run("./app", "-o", "-").out == cudald.run("./app").out, "-o - is standard output")
    ending = cudald.run("./app", "-o", "json=first.json", "-o", "html=no/such/folder/second.html")
    first = cudald.folder / "first.json"
    tap.ok(ending.status == 2 and not first.exists(), "where one file cannot be written, none is", [ending.err])
    tap.ok(
        not list(cudald.folder.glob("story.*")), "nothing else is left", list(cudald.folder.glob("story.*"))
    )


def test_targets_from_stdin(tap, cudald):
    lines = "./app\n\n./broken\n"
    text = cudald.run("--separately", "-q", "-", stdin=lines).out.splitlines()
    tap.ok([line.split()[0] for line in text] == ["LOADS", "FAILS"], "- reads targets, one a line", text)
    ending = cudald.run("show", "-", stdin="./app\nlib/libone.so\n")
    tap.ok(ending.status == 0 and "lib/libone.so\n" in ending.out, "show reads them too", [ending.err])
    ending = cudald.run("--separately", "-f", "ndjson", "./broken", "-", stdin="./app\n")
    verdicts = [json.loads(line)["verdict"] for line in ending.out.splitlines()]
    tap.ok(verdicts == ["fails", "loads"], "- may stand among targets", [verdicts])


def test_hostile_names(tap, cudald):
    name = "evil\x1b]0;owned\x07\n\u202e.so"
    (cudald.folder / name).write_bytes((cudald.folder / "broken").read_bytes())
    broken_name = os.path.join(os.fsencode(cudald.folder), b"evil\xff.so")
    with open(broken_name, "wb") as file:
        file.write((cudald.folder / "lib" / "libone.so").read_bytes())
    for target in ("./" + name, os.fsdecode(broken_name), "./gone" + name):
        for words in (
            ["explain"],
            ["explain", "-v"],
            ["check"],
            ["tree"],
            ["show"],
            ["explain", "-f", "json"],
        ):
            done = subprocess.run(
                [cudald.path, *words, target],
                cwd=cudald.folder,
                capture_output=True,
                timeout=TIME_LIMIT,
                env={"LC_ALL": "C.UTF-8"},
            )
            text = done.stdout + done.stderr
            clean = not re.search(rb"[\x00-\x09\x0b-\x1f\x7f\xff]|\xe2\x80\xae", text)
            tap.ok(
                clean and done.returncode in (0, 1, 3),
                f"{' '.join(words)} of {ascii(target)} shows no control character",
                [done.returncode, text],
            )
