"""Runs a command within limits and measures it."""

import os
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass


@dataclass
class Ending:
    status: int  # negative: the signal
    seconds: float  # of processor time
    megabytes: float  # the largest resident set
    timed_out: bool
    stdout: bytes
    stderr: bytes


def measured(command, clock_seconds, largest_output=1 << 30, **options):
    """Runs `command`, killed after `clock_seconds`; of its output up to `largest_output` + 1 bytes are kept."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.NamedTemporaryFile() as report:
        # By a small program: wait4's figure for a child of this interpreter includes the interpreter, from which it
        # was forked.
        timed = ["/usr/bin/time", "-q", "-f", "%U %S %M", "-o", report.name, *command]
        process = subprocess.Popen(
            timed, stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True, **options
        )
        # It may hang in a system call, where no limit of processor time counts.
        timer = threading.Timer(clock_seconds, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        status = process.wait()
        timed_out = timer.finished.is_set()
        timer.cancel()
        texts = []
        for file in (out, err):
            # Not more than there is: a buffer of that size would be filled, where Meson sets MALLOC_PERTURB_.
            size = min(os.fstat(file.fileno()).st_size, largest_output + 1)
            file.seek(0)
            texts.append(file.read(size))
        figures = report.read().split()
    user, system, kilobytes = figures[-3:] if len(figures) >= 3 else (0, 0, 0)
    # The program between passes a signal on as a shell does.
    status = 128 - status if status > 128 else status
    return Ending(status, float(user) + float(system), int(kilobytes) / 1024, timed_out, *texts)
