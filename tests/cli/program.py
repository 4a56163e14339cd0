"""Runs cudald as a user does, and makes the files that it is asked about."""

import os
import pty
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

ENVIRONMENT = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"}
TIME_LIMIT = 60  # seconds


@dataclass
class Ending:
    status: int
    out: str
    err: str


class Program:
    """cudald in a folder, with an environment of its own."""

    def __init__(self, path, folder):
        self.path = str(Path(path).resolve())
        self.folder = folder

    def run(self, *words, stdin="", **variables):
        done = subprocess.run(
            [self.path, *words],
            cwd=self.folder,
            env={**ENVIRONMENT, **variables},
            input=stdin.encode(),
            capture_output=True,
            timeout=TIME_LIMIT,
        )
        return Ending(
            done.returncode,
            done.stdout.decode("utf-8", "surrogateescape"),
            done.stderr.decode("utf-8", "surrogateescape"),
        )

    def start(self, *words, **streams):
        # A shell's background jobs ignore SIGINT, and so would what the tests start there.
        return subprocess.Popen([self.path, *words], cwd=self.folder, env=ENVIRONMENT,
                                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **streams)

    def run_on_terminal(self, *words, **variables):
        """The text that a terminal of 80 columns gets, and the exit status."""
        leader, follower = pty.openpty()
        environment = {**ENVIRONMENT, "TERM": "xterm", **variables}
        process = subprocess.Popen(
            [self.path, *words],
            cwd=self.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=subprocess.DEVNULL,
        )
        os.close(follower)
        chunks = []
        deadline = time.monotonic() + TIME_LIMIT
        while time.monotonic() < deadline:
            ready, _, _ = select.select([leader], [], [], 1)
            if not ready:
                continue
            try:
                chunk = os.read(leader, 65536)
            except OSError:  # EIO: the other side is closed
                break
            if not chunk:
                break
            chunks.append(chunk)
        os.close(leader)
        return b"".join(chunks).decode("utf-8", "replace"), process.wait(TIME_LIMIT)


def compile_c(folder, *words):
    """An empty library or program."""
    subprocess.run(
        ["cc", "-nostdlib", "-fPIC", "-x", "c", "-", "-x", "none", "-Wl,--build-id=none", *map(str, words)],
        input=b"void _start(void) {}\n",
        cwd=folder,
        check=True,
        timeout=TIME_LIMIT,
    )


def make_files(folder):
    """app needs libone.so, that needs libtwo.so; broken needs libgone.so as well, which is nowhere."""
    (folder / "lib").mkdir()
    compile_c(folder, "-shared", "-o", "lib/libtwo.so", "-Wl,-soname,libtwo.so")
    compile_c(
        folder,
        "-shared",
        "-o",
        "lib/libone.so",
        "-Wl,-soname,libone.so,-rpath,$ORIGIN,--no-as-needed",
        "-Llib",
        "-ltwo",
    )
    compile_c(
        folder, "-pie", "-o", "app", "-Wl,-rpath,$ORIGIN/lib,--no-as-needed,-rpath-link,lib", "-Llib", "-lone"
    )
    compile_c(folder, "-shared", "-o", "libgone.so", "-Wl,-soname,libgone.so")
    compile_c(folder, "-shared", "-o", "lib/libneeds_gone.so", "-Wl,--no-as-needed", "-L.", "-lgone")
    compile_c(
        folder,
        "-pie",
        "-o",
        "broken",
        "-Wl,-rpath,$ORIGIN/lib,--no-as-needed,-rpath-link,lib",
        "-Llib",
        "-lone",
        "-L.",
        "-lgone",
    )
    (folder / "libgone.so").unlink()
    (folder / "text.txt").write_text("not an ELF file\n")
