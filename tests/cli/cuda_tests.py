"""The commands about CUDA itself: provides, env, diff, and descriptions of other machines."""

import json
import shutil


def test_provides(tap, cudald):
    known = cudald.run("provides", "libcudart.so.11.0")
    for part in ["CUDA 11.0 to 11.8", "pip install nvidia-cuda-runtime-cu11", "nvidia/cuda_runtime/lib",
                 "libcudart11.0",
                 "450.80.02", "libcudart.so.12"]:
        tap.ok(part in known.out, f"provides libcudart.so.11.0 tells: {part}", known.out.splitlines())
    tap.ok(known.status == 0, "a name that is known: exit status 0")
    dll = json.loads(cudald.run("provides", "-f", "json", "CUDART64_110.DLL", "libcurand.so.10").out)
    first, second = dll["libraries"]
    tap.ok(first["pip"][0]["folder"] == "site-packages/nvidia/cuda_runtime/bin",
           "the case of a DLL's name does not matter", [first])
    tap.ok(first["driver"]["version"] == "451.48", "with the driver for Windows", [first["driver"]])
    tap.ok(len(second["cuda"]) == 4 and len(second["pip"]) == 3, "one name in four majors, of which pip has three",
           [second])
    unknown = cudald.run("provides", "-f", "json", "libcudart.so.12.0")
    meant = json.loads(unknown.out)["libraries"][0]["did_you_mean"]
    tap.ok(unknown.status == 1 and meant == "libcudart.so.12", "a name like another", unknown.out.splitlines())
    tap.ok(cudald.run("provides").status == 2, "a name is wanted")
    table = json.loads(cudald.run("provides", "-f", "json", "libcudart.so.12").out)["libraries"][0]
    tap.ok(all(row["oldest"] and row["newest"] for row in table["pip"]), "with the releases that carry it", [table])


def test_env(tap, cudald):
    text = cudald.run("env", "--driver", "535.104.05")
    tap.ok(text.status == 0 and text.out.startswith("driver 535.104.05 (CUDA 12.2 and older; by minor-version"),
           "env begins with the driver",
           text.out.splitlines()[:3])
    tap.ok(cudald.run("env", "--driver", "new").status == 2, "a driver is a version")
    tap.ok(cudald.run("env", "word").status == 2, "env takes no target")
    tap.ok(cudald.run("env", "--prefix", "/no/such/folder").status == 2, "a prefix must be there")
    document = json.loads(cudald.run("env", "-f", "json", "--driver", "535.104.05", "--gpu", "sm_90", "--save",
                                     "host.json").out)
    tap.ok(document["schema"] == "cudald/env" and document["driver"]["version"] == "535.104.05"
           and document["gpus"] == ["sm_90"],
           "env as JSON", [document])
    host = json.loads((cudald.folder / "host.json").read_text())
    tap.ok(host["schema"] == "cudald/host" and host["driver"] == "535.104.05" and host["gpus"] == ["sm_90"], "--save",
           [host])
    world = json.loads(cudald.run("-f", "json", "--host", "host.json", "./app").out)["world"]
    tap.ok(world["driver"] == "535.104.05" and world["gpus"] == ["sm_90"], "--host", [world])
    world = json.loads(cudald.run("-f", "json", "--host", "host.json", "--driver", "470.1", "./app").out)["world"]
    tap.ok(world["driver"] == "470.1", "an option comes before --host", [world])
    for words in (["probe", "./app"], ["explain", "--verify", "./app"], ["check", "--prefix", "/usr", "./app"]):
        ending = cudald.run(words[0], "--host", "host.json", *words[1:])
        tap.ok(ending.status == 2 and "--host host.json: " in ending.err, f"not on a described machine: {words}",
               [ending])
    for text in ["{}", "[1]", "", '{"schema": "cudald/host", "driver": "x"}', '{"schema": "cudald/host", "gpus": [1]}']:
        (cudald.folder / "odd.json").write_text(text)
        ending = cudald.run("--host", "odd.json", "./app")
        tap.ok(ending.status == 2 and "odd.json" in ending.err, f"no description: {text!r}", [ending.err])
    stated = json.loads(cudald.run("env", "-f", "json", "--clear-env", "--env", "LD_LIBRARY_PATH=/no/such/folder").out)
    tap.ok(stated["variables"] == {"LD_LIBRARY_PATH": "/no/such/folder"}
           and "is not a directory" in stated["remarks"][0],
           "--env counts for env", [stated["variables"], stated["remarks"]])
    empty = cudald.folder / "empty-tree"
    empty.mkdir()
    bare = cudald.run("env", "--sysroot", str(empty))
    tap.ok(bare.status == 0 and bare.out.startswith("no NVIDIA driver; no CUDA library"), "an empty tree",
           bare.out.splitlines())
    printed = cudald.run("env", "--sysroot", str(empty), "--print", "ld-library-path")
    tap.ok(printed.status == 1 and printed.out == "\n", "nothing to print", [printed])


def test_diff(tap, cudald):
    same = cudald.run("diff", "./app", "./app")
    tap.ok(same.status == 0 and same.out.startswith("the same for the loader"), "a file and itself", [same])
    other = cudald.run("diff", "./app", "./broken")
    tap.ok(other.status == 1 and "needed" in other.out and "libgone.so" in other.out, "two programs",
           other.out.splitlines())
    document = json.loads(cudald.run("diff", "-f", "json", "./app", "./broken").out)
    tap.ok(not document["same"] and any("libgone.so" in change["added"] for change in document["changes"]), "as JSON",
           [document])
    shutil.copy(cudald.folder / "host.json", cudald.folder / "other-host.json")
    host = json.loads((cudald.folder / "other-host.json").read_text())
    host["driver"] = "580.65.06"
    (cudald.folder / "other-host.json").write_text(json.dumps(host))
    hosts = json.loads(cudald.run("diff", "-f", "json", "host.json", "other-host.json").out)
    tap.ok(hosts["changes"] == [{"subject": None, "what": "driver", "removed": ["535.104.05"], "added": ["580.65.06"]}],
           "two saved hosts", [hosts])
    pair = ["/bin/true", "/bin/ls"]
    symbols = cudald.run("diff", "--symbols", "all", *pair).out
    tap.ok("symbols imported" in symbols, "symbols when asked", symbols.splitlines())
    tap.ok("symbols" not in cudald.run("diff", *pair).out, "and not otherwise")
    tap.ok(cudald.run("diff", "./app").status == 2, "two things are wanted")
    ending = cudald.run("diff", "./app", "./nothing-here")
    tap.ok(ending.status == 3 and ending.err, "a file that is not there: exit status 3", [ending])
    tap.ok(cudald.run("diff", "./app", "./text.txt").status == 3, "a text is nothing to compare")


# What users paste, and the verdict and a word of the answer that it must get with a program that has nothing of CUDA.
MESSAGES = [
    ("Could not load library libcudnn_ops_infer.so.8. Error: libcudnn_ops_infer.so.8: cannot open shared object",
     "RISK", "pip install nvidia-cudnn-cu1"),
    ("Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9, libcudnn_ops.so}",
     "RISK", "libcudnn_ops.so.9"),
    ("RuntimeError: Library libcublas.so.12 is not found or cannot be loaded", "CPU ONLY", "nvidia-cublas-cu12"),
    ("Failed to initialize NVML: Driver/library version mismatch", "CPU ONLY", "modprobe nvidia"),
    ("Could not locate zlibwapi.dll. Please make sure it is in your library path!", "RISK", "zlibwapi.dll"),
    ('OSError: [WinError 126] The specified module could not be found. Error loading "C:\\x\\torch\\lib\\c10.dll" or '
     "one of its dependencies.", "RISK", "VCRedist"),
    ("NVIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation.",
     "RISK", "--gpu"),
    ("RuntimeError: Detected that PyTorch and torch_sparse were compiled with different CUDA versions. PyTorch has "
     "CUDA version 10.2 and torch_sparse has CUDA version 11.1.", "RISK", "made for this PyTorch"),
    ("RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED", "RISK", "cudnnCreate failed"),
    ("OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install root.", "RISK",
     "export CUDA_HOME"),
    ("CUDA error: CUDA driver version is insufficient for CUDA runtime version", "CPU ONLY", "--driver"),
    ("RuntimeError: CUDA error: no kernel image is available for execution on the device", "RISK", "--gpu sm_XX"),
    ("CUDA error: no CUDA-capable device is detected", "CPU ONLY", "CUDA_VISIBLE_DEVICES"),
    ("TF-TRT Warning: Could not find TensorRT", "LOADS", "else is lost"),
]


def test_messages(tap, cudald):
    """A message is proof: what it says is never passed over for what the files say."""
    for message, verdict, part in MESSAGES:
        answer = cudald.run("explain", "--error", message, "./app")
        tap.ok(answer.out.startswith(verdict + "  ") and part in answer.out, f"{verdict}: {message[:60]}",
               [answer.out, answer.err])
