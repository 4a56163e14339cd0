"""Times commands side by side, and says whether a difference is more than noise."""

import os
import random
import shlex
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from statistics import median

RESAMPLES = 2000


class Trouble(Exception):
    """Why nothing can be measured, in words for the user."""


@dataclass
class Cost:
    """Of one run, in seconds: on the clock, and of processors."""

    wall: float
    cpu: float


def run(command, accept=(0,), **options):
    done = subprocess.run(command, check=False, **options)
    check_status(command, done.returncode, accept, done.stderr or b"")
    return done


def check_status(command, status, accept, stderr):
    if status not in accept:
        said = stderr[-300:].decode(errors="replace").strip()
        raise Trouble(f"{shlex.join(command)} ended with exit status {status}{said and ': ' + said}")


def cost(command, env, accept=(0, 1)):
    """The Cost of one run, with all that it waits for.

    It is started by posix_spawn: what subprocess.run does before and after, 0.3 ms, is a third of a short run.
    """
    program = shutil.which(command[0], path=env.get("PATH")) or command[0]
    with tempfile.TemporaryFile() as said, open(os.devnull, "r+b") as nothing:
        files = [(os.POSIX_SPAWN_DUP2, file.fileno(), number) for number, file in enumerate((nothing, nothing, said))]
        started = time.monotonic()
        child = os.posix_spawn(program, command, env, file_actions=files)
        _, status, used = os.wait4(child, 0)
        wall = time.monotonic() - started
        said.seek(0)
        check_status(command, os.waitstatus_to_exitcode(status), accept, said.read())
    return Cost(wall, used.ru_utime + used.ru_stime)


def in_turns(commands, env, runs, accept=(0, 1)):
    """Name -> Costs. They take turns, so that what disturbs the machine disturbs all of them; the first turn, which
    fills caches, does not count."""
    costs = {name: [] for name in commands}
    for turn in range(runs + 1):
        for name, command in commands.items():
            one = cost(command, env, accept)
            if turn:
                costs[name].append(one)
    return costs


def peak(command, env, accept=(0, 1)):
    """Bytes: the largest resident set of the command and the processes that it waits for."""
    # Not wait4 from here: a child's figure includes this interpreter, from which it was forked.
    timed = ["/usr/bin/time", "-f", "%M", *command]
    done = run(timed, accept, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return int(done.stderr.split()[-1]) * 1024


def ratio_of_medians(new, old, seed=1):
    """(ratio, lowest, highest): median(new) / median(old), and the range in which 95 of 100 resamples have it."""
    chance = random.Random(seed)
    ratios = sorted(median(chance.choices(new, k=len(new))) / median(chance.choices(old, k=len(old)))
                    for _ in range(RESAMPLES))
    return median(new) / median(old), ratios[RESAMPLES * 25 // 1000], ratios[RESAMPLES * 975 // 1000]


def in_words(ratio, lowest, highest):
    """Of a new program against an old one: "faster by 17 % (12 to 21 %)"."""
    def percent(value):
        return f"{abs(value - 1) * 100:.0f}"

    if highest < 1:
        return f"faster by {percent(ratio)} % ({percent(highest)} to {percent(lowest)} %)"
    if lowest > 1:
        return f"slower by {percent(ratio)} % ({percent(lowest)} to {percent(highest)} %)"
    return f"no difference that shows ({(lowest - 1) * 100:+.0f} to {(highest - 1) * 100:+.0f} %)"


def clean_environment():
    """Nothing of the caller's may change what is found."""
    kept = ("HOME", "XDG_CACHE_HOME", "TMPDIR")
    return {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
            **{name: os.environ[name] for name in kept if name in os.environ}}


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def megabytes(value):
    return f"{value / 1e6:.1f} MB"
