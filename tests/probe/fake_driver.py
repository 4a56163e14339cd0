#!/usr/bin/env python3
"""Runs the kernel of `cudald probe` through real CUDA runtimes on a driver that is none (fake_libcuda.c). Writes TAP.

fake_driver.py CUDALD

The runtime of CUDA 10.2 goes all the way: registration, memory, launch, the check of each element, and everything that
can go wrong. Those of CUDA 11 and later make sure that the driver is NVIDIA's, and refuse this one: of them the
registration and the failing path are tested.
"""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from probing import Prober, compile_c, has_driver, unpack_runtimes  # noqa: E402  (it adds the folder of tap)
from tap import Tap  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
COUNT, BLOCK = 128 * 257 + 1, 128
BYTES = 4 * COUNT
RIGHT = f"{COUNT} elements are right (machine code); 0.250 ms to the GPU, 0.250 ms the kernel, 0.250 ms back"


class Machine:
    """A prober with the fake driver in LD_LIBRARY_PATH."""

    def __init__(self, probe, folder):
        self.probe = probe
        self.folder = folder
        for name, into in ("libcuda", "libcuda.so.1"), ("cublas", "libcublas.so.12"), ("cudnn", "libcudnn.so.9"):
            with open(f"{HERE}/fake_{name}.c", encoding="ascii") as source:
                compile_c(f"{folder}/fake/{into}", source.read(), f"-Wl,-soname,{into}", "-ldl")

    def __call__(self, *words, fault=""):
        log = f"{self.folder}/log"
        open(log, "w", encoding="ascii").close()
        answer = self.probe(*words, LD_LIBRARY_PATH=f"{self.folder}/fake", FAKE_CUDA=fault, FAKE_CUDA_LOG=log)
        with open(log, encoding="ascii") as file:
            answer.log = file.read().splitlines()
        return answer


def told(answer):
    return [*answer.told(), *answer.log]


def test_kernel(tap, machine, runtime):
    answer = machine(runtime)
    tap.ok(answer.check("runtime version") == ("ok", "10.2")
           and answer.check("driver version") == ("ok", "up to CUDA 13.0") and
           answer.check("devices") == ("ok", "1"), "versions and devices", told(answer))
    tap.ok(answer.check("device 0") == ("ok", "Fake GPU 0, sm_75, 4 multiprocessors, 512 of 1024 MiB free, ECC"),
           "properties", told(answer))
    tap.ok(answer.check("kernel on device 0") == ("ok", RIGHT) and answer.codes == [] and answer.status == 0
           and not answer.problems,
           "the kernel's result is checked", told(answer))
    rest = [line for line in answer.log if not line.startswith("module")]
    tap.ok(rest == [f"alloc {BYTES}"] * 2 + [f"to-device {BYTES}",
           f"launch grid {-(-COUNT // BLOCK)} 1 1 block {BLOCK} 1 1 shared 0 stream (nil) count {COUNT}",
           f"to-host {BYTES}"] +
           [f"free {BYTES}"] * 2, "launch parameters and memory traffic", told(answer))
    # The runtime keeps them in an order of its own.
    modules = sorted((line.split()[1:] for line in answer.log if line.startswith("module")), key=len, reverse=True)
    tap.ok(len(modules) == 2 and modules[0][0] == "ptx50" and "sm_75" in modules[0] and modules[1] == ["ptx50"],
           "two fatbins: machine code for several architectures with PTX, and PTX", modules)
    later = answer.run["mapped_later"]
    tap.ok(later == [f"{machine.folder}/fake/libcuda.so.1"], "the driver is told as mapped later", told(answer))


def test_faults(tap, machine, runtime):
    for fault, code, words in [
        ("wrong-result", "CUD604", f"kernel on device 0 of {os.path.basename(runtime)} fails: element {COUNT - 1} of "
                                   f"{COUNT} is "),
        ("launch-fails", "CUD604", "cudaErrorLaunchFailure (719): unspecified launch failure"),
        ("no-memory", "CUD604", "cudaErrorMemoryAllocation (2): out of memory"),
        ("crash", "CUD604", "is ended by SIGABRT while a kernel on device 0 through"),
        ("hang", "CUD604", "comes to no end within the time limit while a kernel on device 0"),
        ("old-driver", "CUD604", "is too old for this runtime: cudaErrorInsufficientDriver (35)"),
        ("no-device", "CUD601", "no GPU that the driver"),
    ]:
        answer = machine("--timeout", "3", runtime, fault=fault)
        rightly = answer.report["verdict"] == ("loads" if code == "CUD601"
                                               else "risk") and answer.status == (code != "CUD601")
        tap.ok(words in answer.message(code) and rightly and not answer.problems
               and (answer.check("kernel on device 0") or ("", ""))[0] != "ok",
               f"{fault}: {code}, {words[:50]}", told(answer))
    answer = machine(runtime, fault="no-machine-code")
    tap.ok(answer.check("kernel on device 0") == ("ok", RIGHT.replace("machine code", "PTX")) and answer.codes == [],
           "where the driver takes no machine code, PTX runs", told(answer))
    answer = machine(runtime, fault="two-devices")
    names = [check["text"].split(",")[0] for check in answer.run["checks"] if check["what"].startswith("device ")]
    kernels = [check["what"] for check in answer.run["checks"] if check["what"].startswith("kernel")
               and check["result"] == "ok"]
    tap.ok(names == ["Fake GPU 0", "Fake GPU 1"] and kernels == ["kernel on device 0", "kernel on device 1"],
           "each GPU in turn", told(answer))


def test_two_runtimes(tap, machine, runtime, folder):
    """The same runtime again under another name, as two wheels provide it."""
    other = os.path.join(folder, os.path.basename(runtime).replace("d9bbffd7", "d9bbffd8"))
    with open(runtime, "rb") as file:
        data = file.read()
    with open(other, "wb") as file:
        file.write(data.replace(b"libcudart.d9bbffd7.so", b"libcudart.d9bbffd8.so"))
    answer = machine(runtime, other)
    shared = [(check["library"], check["result"], check["text"]) for check in answer.run["checks"]
              if check["what"] == "memory of the other runtime"]
    tap.ok(shared == [(other, "ok", f"{COUNT} elements that {runtime} allocated are right"),
                      (runtime, "ok", f"{COUNT} elements that {other} allocated are right")] and answer.own_codes == [],
           "two runtimes: memory of one is read by the other", told(answer))
    tap.ok(sum(line.startswith("launch") for line in answer.log) == 4
           and answer.log.count(f"free {BYTES}") == answer.log.count(f"alloc {BYTES}"),
           "two runtimes: a kernel through each, and nothing is left allocated", answer.log)
    answer = machine(runtime, other, fault="wrong-result")
    tap.ok(answer.codes.count("CUD604") >= 2, "two runtimes: wrong results are told", told(answer))


def test_libraries(tap, machine, runtime):
    cublas, cudnn = (f"{machine.folder}/fake/{name}" for name in ("libcublas.so.12", "libcudnn.so.9"))
    answer = machine(runtime, cublas, cudnn)
    tap.ok(answer.check("cuBLAS version") == ("ok", "12.3.4")
           and answer.check("SGEMM") == ("ok", "221 elements equal those of the processor"),
           "cuBLAS: version and a product", told(answer))
    tap.ok(answer.check("cuDNN version") == ("ok", "9.10.2") and answer.check("built for CUDA") == ("ok", "12.9") and
           answer.check("convolution") == ("ok", "72 elements equal those of the processor") and answer.own_codes == [],
           "cuDNN: versions and a convolution", told(answer))
    answer = machine(runtime, cudnn, fault="cudnn-8")
    tap.ok(answer.check("cuDNN version") == ("ok", "8.9.6"), "cuDNN 8 counts in another way", told(answer))
    for fault, words in [
        ("wrong-sgemm", "SGEMM of libcublas.so.12 fails: element 0 of 221"),
        ("wrong-convolution", "convolution of libcudnn.so.9 fails: element 71 of 72"),
        ("no-cublas", "cublasCreate_v2 gives status 1"),
        ("no-cudnn", "cudnnCreate: CUDNN_STATUS_NOT_INITIALIZED (1)"),
    ]:
        answer = machine(runtime, cublas, cudnn, fault=fault)
        tap.ok(answer.own_codes == ["CUD604"] and words in answer.message("CUD604")
               and answer.report["verdict"] == "risk", fault, told(answer))
    answer = machine(cublas, cudnn)
    tap.ok(answer.check("SGEMM") == ("not-run", "no CUDA runtime is loaded") == answer.check("convolution"),
           "without a runtime nothing is computed",
           told(answer))


def test_later_runtimes(tap, machine, runtimes):
    for version, runtime in sorted(runtimes.items()):
        if version == "10.2":
            continue
        answer = machine(runtime)
        result, text = answer.check("devices") or ("", "")
        tap.ok(answer.log[-1:] == ["no table d4082055"] and result == "failed"
               and "does not work (cuInit gives 0): cudaError" in text and
               answer.check("registration") == ("ok", "the runtime took the kernel")
               and answer.check("kernel")[0] == "not-run" and
               answer.report["verdict"] == "risk",
               f"CUDA {version} refuses a driver that is not NVIDIA's, and that is told", told(answer))


def test_gpu_check(tap, machine, runtime):
    """The command for machines with a GPU: its status and last line."""
    tool = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tools", "gpu-check")
    command = [sys.executable, tool, "--cudald", machine.probe.cudald, "--folder", os.path.dirname(runtime), "-o",
               f"{machine.folder}/report.md"]
    for fault, status, words in [("", 0, "passed: 6 checks"), ("wrong-result", 1, "FAILED: 1 of 6 checks"),
                                 ("no-device", 3, "not run: 3 checks")]:
        variables = dict(machine.probe.environment, LD_LIBRARY_PATH=f"{machine.folder}/fake", FAKE_CUDA=fault)
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=variables)
        with open(f"{machine.folder}/report.md", encoding="utf-8") as file:
            last = file.read().splitlines()[-1]
        tap.ok(done.returncode == status and last.startswith(words), f"gpu-check: {words}", done.stdout.splitlines())
    if has_driver():
        tap.skip("gpu-check without a driver", "not run: this machine has one")
        return
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, text=True, env=machine.probe.environment)
    tap.ok(done.returncode == 3 and done.stdout.endswith("\nnot run: no NVIDIA driver on this machine\n"),
           "gpu-check without a driver",
           done.stdout.splitlines())


def main():
    tap = Tap()
    probe = Prober(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        runtimes, reason = unpack_runtimes(folder)
        if reason:
            tap.skip("a fake driver", f"not run: {reason}")
            return tap.finish()
        machine = Machine(probe, folder)
        if "without nvcc" in str(machine(runtimes["10.2"]).check("kernel")):
            tap.skip("a fake driver", "not run: this cudald was built without nvcc, so it has no kernel")
            return tap.finish()
        test_kernel(tap, machine, runtimes["10.2"])
        test_faults(tap, machine, runtimes["10.2"])
        test_two_runtimes(tap, machine, runtimes["10.2"], folder)
        test_libraries(tap, machine, runtimes["10.2"])
        test_later_runtimes(tap, machine, runtimes)
        test_gpu_check(tap, machine, runtimes["10.2"])
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
