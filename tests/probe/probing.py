"""What the tests of `cudald probe` share: the program, small libraries, and wheels of CUDA runtimes."""

import ctypes
import json
import os
import subprocess
import sys
import time
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import pinned  # noqa: E402
from schema import Schema  # noqa: E402

RUNTIMES = ["torchvision-0.11.3-*", "nvidia_cuda_runtime_cu11-*manylinux*", "nvidia_cuda_runtime_cu12-*manylinux*",
            "nvidia_cuda_runtime-*manylinux*"]

with open(os.path.join(pinned.PROJECT, "docs", "json-schema.json"), encoding="utf-8") as _file:
    SCHEMA = Schema(json.load(_file))


class Answer:
    """One run of `cudald probe -f json`."""

    def __init__(self, done, seconds):
        self.status = done.returncode
        self.seconds = seconds
        self.complaints = done.stderr
        self.output = done.stdout
        self.report = json.loads(done.stdout)
        self.probe = self.report["probe"]
        self.run = self.probe["runs"][0] if self.probe["runs"] else None
        self.codes = [finding["code"] for finding in self.report["findings"]]
        # Those of the probe; what the files say, as of parts that do not belong together, is judged elsewhere.
        self.own_codes = [code for code in self.codes if code.startswith("CUD6")]
        self.problems = SCHEMA.problems(self.report)

    def check(self, what, library=""):
        """(result, text) of a check; None if there is none."""
        for run in self.probe["runs"]:
            for check in run["checks"]:
                if check["what"] == what and check["library"].endswith(library):
                    return check["result"], check["text"]
        return None

    def message(self, code):
        return " | ".join(finding["message"] for finding in self.report["findings"] if finding["code"] == code)

    def told(self):
        """For the details of a failure."""
        run = dict(self.run or {}, output="")
        return [f"status {self.status}, verdict {self.report['verdict']}, findings {self.codes}",
                json.dumps(run)[:1500],
                *(finding["message"][:300] for finding in self.report["findings"]), *self.problems[:5]]


class Prober:
    def __init__(self, cudald):
        self.cudald = os.path.abspath(cudald)
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "PYTHON", "CUDA"))}
        self.environment = kept

    def __call__(self, *words, command="probe", **variables):
        start = time.monotonic()
        done = subprocess.run(
            [self.cudald, command, "-f", "json", *words], check=False, timeout=300,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=dict(self.environment, **variables),
        )
        return Answer(done, time.monotonic() - start)

    def text(self, *words, **variables):
        done = subprocess.run(
            [self.cudald, "probe", "--width", "200", *words], check=False, timeout=300, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(self.environment, **variables), text=True,
        )
        return done.returncode, done.stdout


def compile_c(path, source, *words, shared=True, compiler="cc"):
    """Compiles a few lines of C; returns the path."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    kind = ["-shared", "-fPIC"] if shared else []
    subprocess.run([compiler, "-w", *kind, "-o", path, "-x", "c", "-", "-x", "none", *words], input=source.encode(),
                   check=True)
    return path


def has_driver():
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


def unpack_wheel(pattern, folder, pins="pins.txt"):
    """The libraries of a pinned wheel, unpacked; and why they are not there."""
    reason = pinned.fetch_wheels([pattern], pins=pins)
    if reason:
        return [], reason
    (name,) = pinned.pinned_names([pattern], pins)
    with zipfile.ZipFile(os.path.join(pinned.WHEELS, name)) as wheel:
        members = [each for each in wheel.namelist() if ".so" in os.path.basename(each)]
        wheel.extractall(folder, members)
    return [os.path.realpath(os.path.join(folder, member)) for member in members], None


def unpack_runtimes(folder):
    """{"11.8": path of libcudart} of the pinned wheels, unpacked; and why they are not there."""
    reason = pinned.fetch_wheels(RUNTIMES)
    if reason:
        return {}, reason
    libraries = {}
    for name in pinned.pinned_names(RUNTIMES):
        version = "10.2" if name.startswith("torchvision") else ".".join(name.split("-")[1].split(".")[:2])
        files, _ = unpack_wheel(name, os.path.join(folder, version))
        libraries[version] = next(path for path in files if os.path.basename(path).startswith("libcudart."))
    return libraries, None
