"""Runs scans and merges, for the tests beside."""

import glob
import json
import os
import subprocess
import time

PLAIN = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"}


class Scans:
    """cudald in a folder that holds a corpus."""

    def __init__(self, cudald, folder, corpus="corpus"):
        self.cudald = cudald
        self.folder = folder
        self.corpus = corpus

    def run(self, *words, **variables):
        return subprocess.run([self.cudald, *words], cwd=self.folder, env={**PLAIN, **variables}, capture_output=True,
                              text=True, timeout=600, check=False)

    def scan(self, state, *words, **variables):
        return self.run("scan", self.corpus, "--state", state, *words, **variables)

    def start(self, state, *words, **variables):
        return subprocess.Popen([self.cudald, "scan", self.corpus, "--state", state, *words], cwd=self.folder,
                                env={**PLAIN, **variables}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def merged(self, state):
        """The merged records as bytes, and the ending of the merge."""
        path = os.path.join(self.folder, state + ".ndjson")
        ending = self.run("merge", state, "-o", f"ndjson={path}")
        data = b""
        if os.path.exists(path):
            with open(path, "rb") as file:
                data = file.read()
        return data, ending

    def parts(self, state):
        """The files of records; what was being written beside one when its writer was killed is none."""
        found = glob.glob(os.path.join(self.folder, state, "*", "part-*"))
        return sorted(path for path in found if path.endswith((".ndjson", ".ndjson.zst")))


def records(data):
    return [json.loads(line) for line in data.splitlines()]


def children_of(process):
    """Numbers of the processes that one has started."""
    children = []
    for path in glob.glob(f"/proc/{process}/task/*/children"):
        try:
            with open(path, encoding="utf-8") as file:
                children += [int(each) for each in file.read().split()]
        except OSError:
            pass  # it has ended meanwhile
    return children


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def killed_at(process, seconds):
    """Kills a scan after some time; its children that outlived it by a second, and whether it had been at work."""
    time.sleep(seconds)
    children = children_of(process.pid)
    at_work = process.poll() is None
    process.kill()
    process.wait()
    deadline = time.time() + 1
    while time.time() < deadline and any(is_alive(child) for child in children):
        time.sleep(0.01)
    return [child for child in children if is_alive(child)], at_work
