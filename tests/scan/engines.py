#!/usr/bin/env python3
"""Scans under GNU parallel and under a Slurm of one node that is set up for it. Writes TAP.

engines.py CUDALD

What the engines start must come to what one worker comes to, to the byte. An engine that is not installed is a skip.
"""

import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from corpus import make_corpus  # noqa: E402
from scanning import PLAIN, Scans, killed_at  # noqa: E402
from tap import Tap  # noqa: E402

SLURM_CONF = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={node_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SlurmctldPidFile={folder}/controller.pid
SlurmdPidFile={folder}/node.pid
SlurmdSpoolDir={folder}/spool
StateSaveLocation={folder}/saved
SlurmUser=root
SlurmctldLogFile={folder}/controller.log
SlurmdLogFile={folder}/node.log
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=p Nodes={host} Default=YES MaxTime=INFINITE State=UP
MaxArraySize=10001
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def missing_tools(*names):
    missing = [name for name in names if shutil.which(name, path="/usr/bin:/bin:/usr/sbin:/sbin") is None]
    return f"{', '.join(missing)}: not installed" if missing else None


def test_parallel(tap, scans, whole):
    name = "GNU parallel"
    why = missing_tools("parallel")
    if why:
        tap.skip(name, why)
        return
    command = f"{scans.cudald} scan {scans.corpus} --state parallel --shards 5 -j 1 --no-cache"
    done = subprocess.run(["parallel", "--will-cite", "-j", "3", "-N0", command, ":::", *"12345"], cwd=scans.folder,
                          env={**PLAIN, "HOME": scans.folder}, capture_output=True, text=True, timeout=600, check=False)
    data, merge = scans.merged("parallel")
    tap.ok(done.returncode == 0 and merge.returncode == 0 and data == whole,
           f"{name} tells each process its number; the merge is the same to the byte",
           [done.stdout, done.stderr, merge.stderr])


def test_parallel_killed(tap, scans, whole, draw, longest=0.4):
    """Workers in one folder, killed and started again."""
    if missing_tools("parallel"):
        return
    kills = 0
    for _ in range(12):
        worker = scans.start("parallel-killed", "--shard", f"{draw.randint(1, 3)}/3", "-j", "1")
        _, at_work = killed_at(worker, draw.uniform(0.02, longest))
        kills += at_work
    command = f"{scans.cudald} scan --state parallel-killed --shards 3 -j 1 --no-cache"
    done = subprocess.run(["parallel", "--will-cite", "-j", "3", "-N0", command, ":::", *"123"], cwd=scans.folder,
                          env={**PLAIN, "HOME": scans.folder}, capture_output=True, text=True, timeout=600, check=False)
    data, merge = scans.merged("parallel-killed")
    tap.ok(done.returncode == 0 and merge.returncode == 0 and data == whole and kills,
           f"after {kills} kills GNU parallel brings it to its end", [done.stderr, merge.stderr])


@contextlib.contextmanager
def slurm(folder):
    """A cluster of this machine alone; the environment in which its commands find it."""
    for name in ("saved", "spool"):
        os.makedirs(os.path.join(folder, name))
    host = socket.gethostname().split(".")[0]
    conf = os.path.join(folder, "slurm.conf")
    with open(conf, "w", encoding="utf-8") as file:
        file.write(SLURM_CONF.format(folder=folder, host=host, port=free_port(), node_port=free_port(),
                                     cpus=os.cpu_count()))
    key = os.path.join(folder, "munge.key")
    with open(key, "wb") as file:
        file.write(os.urandom(1024))
    os.chmod(key, 0o400)
    environment = {**PLAIN, "SLURM_CONF": conf, "PATH": "/usr/bin:/bin:/usr/sbin:/sbin"}
    daemons = []
    for words in (
            ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}",
             f"--log-file={folder}/munge.log", f"--pid-file={folder}/munge.pid", f"--seed-file={folder}/munge.seed"],
            ["slurmctld", "-D"], ["slurmd", "-D"]):
        daemons.append(subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        time.sleep(1)
    try:
        yield environment
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def is_idle(environment):
    for _ in range(60):
        said = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True, check=False)
        if said.stdout.strip() == "idle":
            return True
        time.sleep(1)
    return False


def test_slurm(tap, scans, whole):
    name = "an array of Slurm"
    why = missing_tools("sbatch", "slurmctld", "slurmd", "munged") or (
        "the daemons want to be root" if os.geteuid() != 0 else None)
    if why:
        tap.skip(name, why)
        return
    with tempfile.TemporaryDirectory(prefix="cudald-slurm-") as folder, slurm(folder) as environment:
        if not tap.ok(is_idle(environment), "Slurm of one node is idle", ["see its logs"]):
            return

        def submit(state, array, *words):
            command = f"{scans.cudald} scan {scans.corpus} --state {state} -j 1 --no-cache {' '.join(words)}"
            return subprocess.run(["sbatch", "--wait", f"--array={array}", "--output=/dev/null", "--wrap", command],
                                  cwd=scans.folder, env=environment, capture_output=True, text=True, timeout=600,
                                  check=False)

        for array in ("0-4", "3-11:4"):
            state = "slurm-" + array.replace(":", "-")
            done = submit(state, array)
            data, merge = scans.merged(state)
            tap.ok(done.returncode == 0 and merge.returncode == 0 and data == whole,
                   f"{name}, --array={array}: the merge is the same to the byte", [done.stderr, merge.stderr])
        submit("again", "0,2", "--shards", "3")
        _, before = scans.merged("again")
        done = submit("again", "1", "--shards", "3")
        data, merge = scans.merged("again")
        tap.ok(before.returncode == 3 and merge.returncode == 0 and data == whole,
               "tasks of an array that run by themselves fill the gap", [done.stderr, before.stderr, merge.stderr])


def main():
    tap = Tap()
    if len(sys.argv) != 2:
        tap.bail_out("usage: engines.py CUDALD")
    with tempfile.TemporaryDirectory(prefix="cudald-engines-") as name:
        make_corpus(os.path.join(name, "corpus"), 60, seed=random.randrange(1000))
        scans = Scans(os.path.abspath(sys.argv[1]), name)
        scans.scan("whole")
        whole, merge = scans.merged("whole")
        tap.ok(whole and merge.returncode == 0, "one worker judges all", [merge.stderr])
        test_parallel(tap, scans, whole)
        test_parallel_killed(tap, scans, whole, random.Random())
        test_slurm(tap, scans, whole)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
