#!/usr/bin/env python3
"""Asks cudald as a user and a script would, and checks what comes back: run.py CUDALD SOURCE_ROOT. Writes TAP."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from program import TIME_LIMIT, Program, make_files  # noqa: E402
from schema import Schema  # noqa: E402
from tap import Tap  # noqa: E402

COMMANDS = ["explain", "check", "tree", "why", "show", "rule", "schema", "completion", "help"]
# One quick run of each command.
SAMPLE_RUNS = [
    ["explain", "./broken"],
    ["explain", "-f", "json", "./app"],
    ["check", "./broken"],
    ["tree", "./app"],
    ["why", "./app", "libtwo.so"],
    ["show", "./app"],
    ["rule"],
    ["rule", "CUD101"],
    ["schema", "report"],
    ["completion", "bash"],
    ["help"],
    ["--version"],
]


def test_exit_statuses(tap, cudald):
    for status, words in [
        (0, ["./app"]),
        (0, ["explain", "./app"]),
        (0, ["check", "./app"]),
        (1, ["./broken"]),
        (1, ["check", "./broken"]),
        (1, ["tree", "./broken"]),
        (0, ["--fail-on", "never", "./broken"]),
        (0, ["--ignore", "CUD1,CUD2", "./broken"]),
        (0, ["why", "./app", "libtwo.so"]),
        (0, ["why", "./broken", "libgone.so"]),
        (1, ["why", "./app", "libnone.so"]),
        (0, ["tree", "--invert", "libtwo.so", "./app"]),
        (1, ["tree", "--invert", "libnone.so", "./app"]),
        (2, []),
        (2, ["--no-such-option", "./app"]),
        (2, ["explain"]),
        (2, ["--sysroot", "/no/such/folder", "./app"]),
        (2, ["-f", "json", "--separately", "./app", "./broken"]),
        (2, ["-o", "no/such/folder/file", "./app"]),
        (2, ["exlpain", "./app"]),
        (2, ["check", "-"]),
        (3, ["./nothing-here"]),
        (3, ["./text.txt"]),
        (3, ["show", "./nothing-here"]),
        (0, ["show", "--allow-incomplete", "./nothing-here"]),
        (3, ["--separately", "./broken", "./nothing-here"]),
        (1, ["--separately", "--allow-incomplete", "./broken", "./app"]),
        (0, ["--help"]),
        (0, ["-h"]),
        (0, ["--version"]),
        (0, ["rule", "CUD101"]),
    ]:
        ending = cudald.run(*words)
        tap.ok(ending.status == status, f"cudald {' '.join(words)}: exit status {status}",
               [f"it was {ending.status}", *ending.out.splitlines()[:5], *ending.err.splitlines()[:5]])


def test_streams(tap, cudald):
    for words in [[], ["--sysrot", "x"], ["why", "x"], ["rule", "CUD000"]]:
        ending = cudald.run(*words)
        tap.ok(ending.out == "" and "cudald" in ending.err, f"complaints about {words} go to standard error")
    ending = cudald.run("./nothing-here")
    tap.ok(re.fullmatch(r"UNKNOWN  .*nothing-here.*\n", ending.out), "an unreadable target: the verdict alone", [ending.out])
    tap.ok(re.fullmatch(r"cudald: \./nothing-here: .+\n", ending.err), "and one line of complaint", [ending.err])
    ending = cudald.run("./broken")
    tap.ok(ending.err == "", "a finding is no complaint", [ending.err])
    ending = cudald.run("./nothing-here", "./app")
    tap.ok(ending.out.startswith("UNKNOWN  ") and "CUD904" not in ending.out and ending.err.count("\n") == 1,
           "an unreadable target beside a good one is told once", [ending.out, ending.err])


def test_suggestions(tap, cudald):
    for words, meant in [
        (["--sysrot", "x"], "`--sysroot`"),
        (["--color=allways", "x"], "`always`"),
        (["exlpain", "./app"], "`explain`"),
        (["rule", "library-not-fuond"], "`library-not-found`"),
        (["completion", "bahs"], "`bash`"),
        (["why", "./app", "libtow.so"], "`libtwo.so`"),
    ]:
        ending = cudald.run(*words)
        tap.ok(f"did you mean {meant}?" in ending.err, f"cudald {' '.join(words)}: {meant} was meant", [ending.err])
    ending = cudald.run("tree", "--all", "./app")
    tap.ok("`why`" in ending.err, "an option of another command is told so", [ending.err])


def options_in_help(cudald):
    text = cudald.run("--help").out
    return sorted(set(re.findall(r"^  (?:-., )?--([a-z-]+)", text, re.MULTILINE)))


def test_help(tap, cudald):
    options = options_in_help(cudald)
    tap.ok(len(options) > 25, "the long help lists the options", [options])
    short = cudald.run("-h").out
    for option in options:
        tap.ok(f"--{option}" in short, f"-h has --{option}")
    for command in COMMANDS:
        tap.ok(re.search(rf"^  {command} ", short, re.MULTILINE), f"-h has the command {command}")
        pages = [cudald.run("help", command), cudald.run(command, "--help"), cudald.run(command, "-h")]
        good = all(page.status == 0 and page.out.startswith(f"Usage cudald {command}") for page in pages)
        tap.ok(good and pages[0].out == pages[1].out, f"help of {command}", [page.err for page in pages])
    tap.ok("--depth" in cudald.run("help", "tree").out, "help of a command has its options")
    tap.ok("--depth" not in cudald.run("help", "why").out, "and not those of others")
    widest = max(len(line) for line in cudald.run("--help", "--width", "60").out.splitlines())
    tap.ok(widest <= 80, "help is wrapped", [widest])


def test_man_page(tap, cudald):
    page = cudald.run("help", "man").out
    for option in options_in_help(cudald):
        tap.ok("\\-\\-" + option.replace("-", "\\-") + "\\fR" in page, f"the man page has --{option}")
    for command in COMMANDS:
        tap.ok(f"cudald {command}" in page, f"the man page has the command {command}")
    for code in re.findall(r"^(CUD\d+)", cudald.run("rule").out, re.MULTILINE):
        tap.ok(code in page, f"the man page has {code}")
    tap.ok("%" not in page, "no mark of the template is left", re.findall(r".*%.*", page))
    for tool in (["mandoc", "-Tlint", "-W", "warning"], ["groff", "-man", "-ww", "-Tutf8"]):
        if shutil.which(tool[0]) is None:
            tap.skip(f"{tool[0]} has no complaint", f"{tool[0]} is not installed")
            continue
        done = subprocess.run(tool, input=page.encode(), capture_output=True, timeout=TIME_LIMIT)
        complaint = done.stderr.decode() + (done.stdout.decode() if tool[0] == "mandoc" else "")
        tap.ok(done.returncode == 0 and complaint == "", f"{tool[0]} has no complaint", complaint.splitlines())


def test_completions(tap, cudald):
    for shell, check in [("bash", ["-n"]), ("zsh", ["-n"]), ("fish", ["--no-execute"])]:
        script = cudald.run("completion", shell).out
        path = cudald.folder / f"completion.{shell}"
        path.write_text(script)
        for option in options_in_help(cudald):
            tap.ok(re.search(rf"(--|-l ){option}\b", script), f"the completion for {shell} has --{option}")
        if shutil.which(shell) is None:
            tap.skip(f"{shell} reads its completion", f"{shell} is not installed")
            continue
        done = subprocess.run([shell, *check, str(path)], capture_output=True, timeout=TIME_LIMIT)
        tap.ok(done.returncode == 0, f"{shell} reads its completion", done.stderr.decode().splitlines())
    for words, wanted in [
        (["cudald", "tree", "--dep"], "--depth"),
        (["cudald", "--cpu", "x86-64-v2"], "x86-64-v2"),
        (["cudald", "rule", "CUD10"], "CUD101"),
        (["cudald", "comp"], "completion"),
        (["cudald", "show", "text"], "text.txt"),
        (["cudald", "why", "--sel"], ""),
    ]:
        script = 'source ./completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cudald; echo "${COMPREPLY[*]}"'
        done = subprocess.run(["bash", "-c", script, "bash", *words], cwd=cudald.folder, capture_output=True,
                              timeout=TIME_LIMIT)
        offered = done.stdout.decode().split()
        tap.ok((wanted in offered) if wanted else not offered, f"bash completes {' '.join(words)}",
               [offered, done.stderr.decode()])


def test_colour(tap, cudald):
    painted = "\x1b[1;32mLOADS\x1b[0m"
    for wanted, words, variables in [
        (False, [], {}),
        (True, ["--color=always"], {}),
        (True, ["--color", "always"], {"NO_COLOR": "1"}),
        (True, [], {"FORCE_COLOR": "1"}),
        (True, [], {"CLICOLOR_FORCE": "1"}),
        (False, [], {"FORCE_COLOR": "1", "NO_COLOR": "1"}),
        (False, ["--color=never"], {"FORCE_COLOR": "1"}),
    ]:
        ending = cudald.run("./app", *words, **variables)
        tap.ok((painted in ending.out) == wanted and ("\x1b" in ending.out) == wanted,
               f"in a pipe, {words} {variables}: {'colours' if wanted else 'no colours'}", [ending.out])
    for wanted, words, variables in [
        (True, [], {}),
        (True, [], {"NO_COLOR": ""}),
        (False, [], {"NO_COLOR": "1"}),
        (False, [], {"TERM": "dumb"}),
        (False, ["--color=never"], {}),
    ]:
        text, _ = cudald.run_on_terminal("./app", "--no-pager", *words, **variables)
        tap.ok((painted in text) == wanted and ("\x1b" in text) == wanted,
               f"on a terminal, {words} {variables}: {'colours' if wanted else 'no colours'}", [text])


def test_marks(tap, cudald):
    tap.ok("└── " in cudald.run("tree", "./app").out, "a UTF-8 locale has lines")
    for words, variables in [([], {"LC_ALL": "C"}), (["--ascii"], {})]:
        text = cudald.run("tree", "./app", *words, **variables).out
        tap.ok(text.isascii() and "`-- " in text, f"{words} {variables}: ASCII lines", [text])


def test_pager(tap, cudald):
    pager = "sed s/^/paged:/"
    for wanted, words, variables in [
        (True, ["./app"], {"PAGER": pager}),
        (True, ["help"], {"PAGER": pager}),
        (False, ["./app", "--no-pager"], {"PAGER": pager}),
        (False, ["./app", "-f", "json"], {"PAGER": pager}),
        (False, ["./app"], {"PAGER": ""}),
        (False, ["./app"], {"PAGER": "no-such-pager-here"}),
    ]:
        text, status = cudald.run_on_terminal(*words, **variables)
        tap.ok(("paged:" in text) == wanted and status == 0 and len(text) > 20, f"pager for {words} {variables}: {wanted}", [status, text])
    text, status = cudald.run_on_terminal("./broken", PAGER="head -n 1 >/dev/null")
    tap.ok(status == 1, "a pager that is left early changes no exit status", [status, text])
    tap.ok("paged:" not in cudald.run("./app", PAGER=pager).out, "no pager in a pipe")


def test_closed_pipe(tap, cudald):
    for words in SAMPLE_RUNS:
        reading, writing = os.pipe()
        os.close(reading)
        process = cudald.start(*words, stdout=writing, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        os.close(writing)
        _, complaint = process.communicate(timeout=TIME_LIMIT)
        wanted = cudald.run(*words).status
        tap.ok(complaint == b"" and process.returncode == wanted, f"cudald {' '.join(words)} into a closed pipe ends quietly",
               [process.returncode, complaint.decode()])


def test_full_disk(tap, cudald):
    if not os.path.exists("/dev/full"):
        tap.skip("a full disk is reported", "there is no /dev/full")
        return
    with open("/dev/full", "wb") as full:
        process = cudald.start("./app", stdout=full, stderr=subprocess.PIPE)
        _, complaint = process.communicate(timeout=TIME_LIMIT)
    tap.ok(process.returncode == 3 and b"No space left" in complaint, "a full disk is reported", [process.returncode, complaint])


def test_interrupt(tap, cudald):
    folder = cudald.folder / "interrupted"
    folder.mkdir()
    for number, status in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
        process = cudald.start("-o", str(folder / "out"), "-", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + TIME_LIMIT
        while not list(folder.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)  # until it has begun, and waits for its input
        process.send_signal(number)
        out, complaint = process.communicate(timeout=TIME_LIMIT)
        tap.ok(process.returncode == status and out + complaint == b"", f"{number.name}: exit status {status}", [process.returncode, complaint])
        tap.ok(list(folder.iterdir()) == [], "and no half-written file", list(folder.iterdir()))


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
    tap.ok(not list(cudald.folder.glob("story.*")), "nothing else is left", list(cudald.folder.glob("story.*")))


def test_targets_from_stdin(tap, cudald):
    lines = "./app\n\n./broken\n"
    text = cudald.run("--separately", "-q", "-", stdin=lines).out.splitlines()
    tap.ok([line.split()[0] for line in text] == ["LOADS", "FAILS"], "- reads targets, one a line", text)
    ending = cudald.run("show", "-", stdin="./app\nlib/libone.so\n")
    tap.ok(ending.status == 0 and "lib/libone.so\n" in ending.out, "show reads them too", [ending.err])
    ending = cudald.run("--separately", "-f", "ndjson", "./broken", "-", stdin="./app\n")
    verdicts = [json.loads(line)["verdict"] for line in ending.out.splitlines()]
    tap.ok(verdicts == ["fails", "loads"], "- may stand among targets", [verdicts])


def test_json(tap, cudald, source_root):
    document = json.loads((source_root / "docs" / "json-schema.json").read_text())
    tap.ok(json.loads(cudald.run("schema", "report").out) == document, "cudald schema report prints docs/json-schema.json")
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
            tap.ok(one_line == (output_format == "ndjson"), f"-f {output_format} {' '.join(words)} has its shape")
    good = json.loads(cudald.run("-f", "json", "./broken").out)
    for place, wrong in [("verdict", "maybe"), ("schema_version", "2.0"), ("targets", {}), ("findings", None)]:
        tap.ok(schema.problems({**good, place: wrong}), f"the check sees a wrong {place}")
    del good["objects"][0]["needed"]
    tap.ok(schema.problems(good), "the check sees a missing field")
    image = json.loads(cudald.run("show", "-f", "json", "lib/libone.so").out)
    tap.ok(image["soname"] == "libone.so" and image["needed"] == [{"name": "libtwo.so"}], "show -f json", [image])


def test_answers(tap, cudald):
    story = cudald.run("./broken").out
    for part in ["error[CUD101] library-not-found", "asked by", "searched, in this order", "DT_RUNPATH", "/etc/ld.so.cache", "what happens"]:
        tap.ok(part in story, f"the story of a missing library has: {part}", story.splitlines())
    tap.ok(len(cudald.run("./app").out.splitlines()) <= 3, "a healthy one is short", [cudald.run("./app").out])
    tap.ok(cudald.run("-q", "./broken").out == story.splitlines()[0] + "\n", "-q is the verdict")
    found = cudald.run("./app", "-l", "libtwo.so").out
    tap.ok("libone.so" in found and "DT_RUNPATH" in found and "found" in found, "-l tells how it was found", found.splitlines())
    inherited = cudald.run("./app", "--env", "LD_LIBRARY_PATH=/elsewhere", "-l", "libone.so").out
    tap.ok("/elsewhere" in inherited, "--env counts", inherited.splitlines())
    story = cudald.run("./broken", LD_LIBRARY_PATH="/elsewhere").out
    tap.ok("/elsewhere" in story, "so does the environment of the caller", story.splitlines())
    for words in (["--clear-env", "./broken"], ["--sysroot", ".", "/broken"]):
        story = cudald.run(*words, LD_LIBRARY_PATH="/elsewhere").out
        tap.ok("/elsewhere" not in story and "FAILS" in story, f"{words} does not see it", story.splitlines())
    for code in re.findall(r"^(CUD\d+)", cudald.run("rule").out, re.MULTILINE):
        page, same = cudald.run("rule", code), cudald.run("--explain", code)
        tap.ok(page.status == 0 and page.out == same.out and len(page.out.splitlines()) > 8, f"{code} has a page", [page.err])


def test_hostile_names(tap, cudald):
    name = "evil\x1b]0;owned\x07\n\u202e.so"
    (cudald.folder / name).write_bytes((cudald.folder / "broken").read_bytes())
    broken_name = os.path.join(os.fsencode(cudald.folder), b"evil\xff.so")
    with open(broken_name, "wb") as file:
        file.write((cudald.folder / "lib" / "libone.so").read_bytes())
    for target in ("./" + name, os.fsdecode(broken_name), "./gone" + name):
        for words in (["explain"], ["explain", "-v"], ["check"], ["tree"], ["show"], ["explain", "-f", "json"]):
            done = subprocess.run([cudald.path, *words, target], cwd=cudald.folder, capture_output=True, timeout=TIME_LIMIT,
                                  env={"LC_ALL": "C.UTF-8"})
            text = done.stdout + done.stderr
            clean = not re.search(rb"[\x00-\x09\x0b-\x1f\x7f\xff]|\xe2\x80\xae", text)
            tap.ok(clean and done.returncode in (0, 1, 3), f"{' '.join(words)} of {ascii(target)} shows no control character",
                   [done.returncode, text])


def main():
    tap = Tap()
    if len(sys.argv) != 3:
        tap.bail_out("usage: run.py CUDALD SOURCE_ROOT")
    if shutil.which("cc") is None:
        tap.bail_out("cc is needed to make the files that cudald is asked about")
    with tempfile.TemporaryDirectory(prefix="cudald-cli-") as name:
        folder = Path(name)
        make_files(folder)
        cudald = Program(sys.argv[1], folder)
        for test in (test_exit_statuses, test_streams, test_suggestions, test_help, test_man_page, test_completions, test_colour,
                     test_marks, test_pager, test_closed_pipe, test_full_disk, test_interrupt, test_output_file,
                     test_targets_from_stdin, test_answers, test_hostile_names):
            test(tap, cudald)
        test_json(tap, cudald, Path(sys.argv[2]))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
