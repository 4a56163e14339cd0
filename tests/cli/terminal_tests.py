"""Colours, marks, pagers, and the ways in which a reader can go away."""

import contextlib
import os
import pty
import signal
import subprocess
import time
from pathlib import Path

from program import TIME_LIMIT

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


PAINTED = "\x1b[1;32mLOADS\x1b[0m"


def skipped_without_terminals(tap, what):
    """A container or chroot may have no /dev/pts."""
    try:
        for descriptor in pty.openpty():
            os.close(descriptor)
    except OSError as error:
        tap.skip(what, f"not run: this machine gives no pseudoterminal ({error})")
        return True
    return False


def test_colour_in_pipes(tap, cudald):
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
        tap.ok(
            (PAINTED in ending.out) == wanted and ("\x1b" in ending.out) == wanted,
            f"in a pipe, {words} {variables}: {'colours' if wanted else 'no colours'}",
            [ending.out],
        )


def test_colour_on_terminals(tap, cudald):
    if skipped_without_terminals(tap, "colours on a terminal, 5 cases"):
        return
    for wanted, words, variables in [
        (True, [], {}),
        (True, [], {"NO_COLOR": ""}),
        (False, [], {"NO_COLOR": "1"}),
        (False, [], {"TERM": "dumb"}),
        (False, ["--color=never"], {}),
    ]:
        text, _ = cudald.run_on_terminal("./app", "--no-pager", *words, **variables)
        tap.ok(
            (PAINTED in text) == wanted and ("\x1b" in text) == wanted,
            f"on a terminal, {words} {variables}: {'colours' if wanted else 'no colours'}",
            [text],
        )


def test_marks(tap, cudald):
    tap.ok("└── " in cudald.run("tree", "./app").out, "a UTF-8 locale has lines")
    for variables in [
        {"LC_ALL": "", "LANG": "xx_YY.UTF-8"},  # no such locale is installed: the terminal is what its name says
        {"LC_ALL": "de_DE.utf8@euro"},
        {"LC_ALL": "", "LC_CTYPE": "en_US.UTF-8", "LANG": "C"},
    ]:
        tap.ok("└── " in cudald.run("tree", "./app", **variables).out, f"{variables}: lines")
    for words, variables in [
        ([], {"LC_ALL": "C"}),
        ([], {"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}),
        ([], {"LC_ALL": "de_DE.ISO-8859-1"}),
        (["--ascii"], {}),
    ]:
        text = cudald.run("tree", "./app", *words, **variables).out
        tap.ok(text.isascii() and "`-- " in text, f"{words} {variables}: ASCII lines", [text])


def test_pager(tap, cudald):
    pager = "sed s/^/paged:/"
    tap.ok("paged:" not in cudald.run("./app", PAGER=pager).out, "no pager in a pipe")
    if skipped_without_terminals(tap, "pagers on a terminal, 7 cases"):
        return
    for wanted, words, variables in [
        (True, ["./app"], {"PAGER": pager}),
        (True, ["help"], {"PAGER": pager}),
        (False, ["./app", "--no-pager"], {"PAGER": pager}),
        (False, ["./app", "-f", "json"], {"PAGER": pager}),
        (False, ["./app"], {"PAGER": ""}),
        (False, ["./app"], {"PAGER": "no-such-pager-here"}),
    ]:
        text, status = cudald.run_on_terminal(*words, **variables)
        tap.ok(
            ("paged:" in text) == wanted and status == 0 and len(text) > 20,
            f"pager for {words} {variables}: {wanted}",
            [status, text],
        )
    text, status = cudald.run_on_terminal("./broken", PAGER="head -n 1 >/dev/null")
    tap.ok(status == 1, "a pager that is left early changes no exit status", [status, text])


def test_closed_pipe(tap, cudald):
    for words in SAMPLE_RUNS:
        reading, writing = os.pipe()
        os.close(reading)
        process = cudald.start(*words, stdout=writing, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        os.close(writing)
        _, complaint = process.communicate(timeout=TIME_LIMIT)
        wanted = cudald.run(*words).status
        tap.ok(
            complaint == b"" and process.returncode == wanted,
            f"cudald {' '.join(words)} into a closed pipe ends quietly",
            [process.returncode, complaint.decode()],
        )


def test_full_disk(tap, cudald):
    if not os.path.exists("/dev/full"):
        tap.skip("a full disk is reported", "there is no /dev/full")
        return
    with open("/dev/full", "wb") as full:
        process = cudald.start("./app", stdout=full, stderr=subprocess.PIPE)
        _, complaint = process.communicate(timeout=TIME_LIMIT)
    tap.ok(
        process.returncode == 3 and b"No space left" in complaint,
        "a full disk is reported",
        [process.returncode, complaint],
    )


def holds_file_in(pid, folder):
    """Whether a process has a file of the folder open, which may have no name there yet."""
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            if os.readlink(link).startswith(f"{folder}/"):
                return True
    return False


def test_interrupt(tap, cudald):
    folder = cudald.folder / "interrupted"
    folder.mkdir()
    for number, status in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
        process = cudald.start(
            "-o",
            str(folder / "out"),
            "-",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        deadline = time.monotonic() + TIME_LIMIT
        while not holds_file_in(process.pid, folder) and time.monotonic() < deadline:
            time.sleep(0.01)  # until it has begun, and waits for its input
        process.send_signal(number)
        out, complaint = process.communicate(timeout=TIME_LIMIT)
        tap.ok(
            process.returncode == status and out + complaint == b"",
            f"{number.name}: exit status {status}",
            [process.returncode, complaint],
        )
        tap.ok(list(folder.iterdir()) == [], "and no half-written file", list(folder.iterdir()))
