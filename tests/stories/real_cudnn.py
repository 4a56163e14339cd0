#!/usr/bin/env python3
"""Story 4, told from real wheels: cuDNN is found, and it is the wrong one.

    real_cudnn.py CUDALD

onnxruntime-gpu 1.18.1 wants cuDNN 8 and CUDA 11. It meets cuDNN 8.9.6 and 8.5.0, one for CUDA 12, parts of two releases
in two folders, a front library without its parts, one whose zlib is missing, and a program that was linked against a
newer release than it finds. Output is TAP.
"""

import os
import sys

from staging import (CUDA_11, PIP, SITE, Stage, edge, findings, first_lines, never_links_another_abi, scratch_folder,
                     wheels_or_bail_out,
                     words)
from tap import Tap  # found by way of staging

ONNXRUNTIME = "onnxruntime_gpu-1.18.1-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl"
CUDNN_896 = PIP["nvidia-cudnn-cu11==8.9.6.50"]
CUDNN_850 = "nvidia_cudnn_cu11-8.5.0.96-2-py3-none-manylinux1_x86_64.whl"
CUDNN_CUDA_12 = "nvidia_cudnn_cu12-8.9.7.29-py3-none-manylinux1_x86_64.whl"
CUDNN_9 = "nvidia_cudnn_cu12-9.10.2.21-py3-none-manylinux_2_27_x86_64.whl"
LIBRARIES = "nvidia/cudnn/lib/libcudnn"
CUDA_FOLDERS = [f"{SITE}/nvidia/{name}/lib" for name in ("cublas", "cufft", "curand", "cuda_runtime")]
# What a fix puts first comes before what was set.
DRIVER = ["--driver", "535.104.05"]


class Provider:
    """onnxruntime's provider for CUDA in an environment that has CUDA 11."""

    def __init__(self, stage):
        self.stage = stage
        self.cuda = [word for name in CUDA_11 if "cudnn" not in name and "cus" not in name
                     for word in ("--with", stage.wheel(name))]

    def words(self, wheels=(), folders=(), more=()):
        """`more`: options of a fix, whose LD_LIBRARY_PATH goes before."""
        more = list(more)
        path = list(folders) + CUDA_FOLDERS
        for place, word in enumerate(more):
            if word.startswith("LD_LIBRARY_PATH="):
                path = word.split("=", 1)[1].split(":") + path
                more[place - 1 : place + 1] = []
                break
        beside = [word for name in wheels for word in ("--with", self.stage.wheel(name))]
        return [self.stage.wheel(ONNXRUNTIME), *self.cuda, *beside, *more, *DRIVER, "--env",
                "LD_LIBRARY_PATH=" + ":".join(path)]

    def ask_with(self, wheels=(), folders=(), more=()):
        return self.stage.ask(*self.words(wheels, folders, more))

    def tell_with(self, wheels=(), folders=(), more=()):
        return self.stage.tell(*self.words(wheels, folders, more))


def cudnn_versions(answer):
    return {thing["soname"]: thing["cuda"]["version"] for thing in answer["objects"]
            if (thing.get("cuda") or {}).get("kind") == "cudnn"}


def alarms(answer):
    return [each for each in answer["findings"] if each["level"] != "note"]


def right_ones(tap, make):
    """cuDNN 8.9.6 and 8.5.0 for CUDA 11: each is what its bytes say, and both serve."""
    for wheel, version in ((CUDNN_896, "8.9.6"), (CUDNN_850, "8.5.0")):
        answer = make_provider(make).ask_with([wheel], [f"{SITE}/nvidia/cudnn/lib"])
        versions = cudnn_versions(answer)
        tap.ok(answer["verdict"] == "loads" and not alarms(answer), f"cuDNN {version}: nothing is amiss",
               [words(alarms(answer))])
        tap.ok(versions.get("libcudnn_ops_infer.so.8") == version and len(versions) == 7,
               f"cuDNN {version}: known by its bytes, with its six parts",
               [words(versions)])


def make_provider(make):
    return Provider(make())


def for_another_cuda(tap, make):
    """cuDNN for CUDA 12 beside CUDA 11's cuBLAS."""
    world = make_provider(make)
    cudnn = f"{SITE}/nvidia/cudnn/lib"
    answer = world.ask_with([CUDNN_CUDA_12], [cudnn])
    found = findings(answer, "CUD305")
    told = words(found)
    tap.ok(answer["verdict"] == "risk" and found
           and "cuDNN 8.9.7 is built for CUDA 12.2, and this process has CUDA 11" in found[0]["message"],
           "which it is, for which CUDA, and which CUDA is there", [answer["verdict"], told])
    tap.ok("cudnnGetVersion answers 8907" in told and "cudnnGetCudartVersion answers 12020" in told,
           "from the file, not its name", [told])
    command = found[0]["fixes"][0]["command"] if found else ""
    tap.ok(command == "pip install nvidia-cudnn-cu11==8.9.6.50",
           "the fix is a cuDNN 8 for CUDA 11, not the newest for CUDA 11", [command])
    # pip puts it over the other one's files.
    after = world.ask_with([], [cudnn], world.stage.apply(found[0]["fixes"][0]))
    tap.ok(after["verdict"] == "loads" and not findings(after, "CUD305"), "after the fix it is gone",
           [words(alarms(after))])
    tap.comment(first_lines(world.tell_with([CUDNN_CUDA_12], [cudnn]), 1))


def two_releases(tap, make):
    """Parts of cuDNN 8.9.6 and 8.5.0 in two folders."""
    world = make_provider(make)
    for part in (".so.8", "_ops_infer.so.8"):
        world.stage.unpack(CUDNN_896, LIBRARIES + part, "/opt/new")
    for part in (".so.8", "_ops_infer.so.8", "_adv_infer.so.8", "_cnn_infer.so.8"):
        world.stage.unpack(CUDNN_850, LIBRARIES + part, "/opt/old")
    answer = world.ask_with([], ["/opt/new", "/opt/old"])
    found = findings(answer, "CUD306")
    told = words(found)
    tap.ok(answer["verdict"] == "risk" and found
           and "8.5.0 from /opt/old and 8.9.6 from /opt/new" in found[0]["message"],
           "two releases meet: which, and from which folders", [answer["verdict"], told])
    tap.ok("cuDNN 8.9.6: libcudnn_ops_infer.so.8" in told and "cuDNN 8.5.0: libcudnn_cnn_infer.so.8" in told,
           "which part is of which", [told])
    tap.ok("VERSION_MISMATCH" in told, "what cuDNN will say", [told])
    tap.ok("LD_LIBRARY_PATH=/opt/old$" in found[0]["fixes"][0]["command"] if found else False,
           "the folder that has all of them goes first", [told])
    after = world.ask_with([], ["/opt/new", "/opt/old"], world.stage.apply(found[0]["fixes"][0]))
    tap.ok(not findings(after, "CUD306") and after["verdict"] == "loads", "after the fix they are of one release",
           [words(alarms(after))])

    os.unlink(world.stage.path("/opt/old/libcudnn_ops_infer.so.8"))
    answer = world.ask_with([], ["/opt/new", "/opt/old"])
    found = findings(answer, "CUD306")
    fix = found[0]["fixes"][0] if found else {"command": ""}
    tap.ok("pip install --force-reinstall nvidia-cudnn-cu11==8.9.6.50" in fix["command"],
           "no folder is whole: install one that is", [words(fix)])
    after = world.ask_with([], ["/opt/new", "/opt/old"], world.stage.apply(fix))
    tap.ok(not findings(after, "CUD306") and after["verdict"] == "loads", "... and it is gone as well",
           [words(alarms(after))])
    tap.comment(first_lines(world.tell_with([], ["/opt/new", "/opt/old"]), 1))


def nested_misses(tap, make):
    """The front library is found; what stands behind it is not."""
    world = make_provider(make)
    world.stage.unpack(CUDNN_896, LIBRARIES + ".so.8", "/opt/cudnn")
    answer = world.ask_with([], ["/opt/cudnn"])
    found = findings(answer, "CUD101", "libcudnn_ops_infer.so.8")
    told = words(found)
    tap.ok(answer["verdict"] == "cpu-only" and edge(answer, "libcudnn.so.8")["status"] == "loaded" and found,
           "libcudnn.so.8 is found, libcudnn_ops_infer.so.8 is not", [answer["verdict"], words(alarms(answer))])
    tap.ok("Could not load library libcudnn_ops_infer.so.8" in told, "what cuDNN will print", [told])
    tap.ok('its code opens the name that it holds, \\"libcudnn_ops_infer.so.8\\" at offset 0x' in told
           and "put together" not in told,
           "how it is known: the name stands in the file", [told])
    tried = [each["path"] for each in edge(answer, "libcudnn_ops_infer.so.8")["tried"]]
    tap.ok(any(path.startswith("/opt/cudnn/") for path in tried), "every folder that was searched", tried)
    text = world.tell_with([], ["/opt/cudnn"])
    tap.ok("libcudnn_ops_infer.so.8  opened by libcudnn.so.8" in text, "the text says who opens it",
           text.split("\n")[:12])
    after = world.ask_with([], ["/opt/cudnn"], world.stage.apply(found[0]["fixes"][0]))
    tap.ok(after["verdict"] == "loads", "after the fix all parts are there", [words(alarms(after))])
    tap.ok(never_links_another_abi(answer), "no fix links one name to another", [])

    stage = make(zlib=False)
    for part in (".so.9", "_graph.so.9"):
        stage.unpack(CUDNN_9, LIBRARIES + part, "/opt/cudnn")
    stage.compile("/opt/program", "int cudnnCreate(void **); int main(void) { return cudnnCreate(0); }\n",
                  ["/opt/cudnn/libcudnn.so.9"],
                  ["-Wl,-rpath,/opt/cudnn"], shared=False)
    answer = stage.ask("/opt/program", "--env", "LD_LIBRARY_PATH=/opt/cudnn")
    found = findings(answer, "CUD101", "libz.so.1")
    tap.ok(answer["verdict"] == "cpu-only" and found,
           "libcudnn.so.9 and its graph are found, the zlib behind them is not", [words(alarms(answer))])
    text = stage.tell("/opt/program", "--env", "LD_LIBRARY_PATH=/opt/cudnn")
    tap.ok("libcudnn_graph.so.9" in words(found) or "libcudnn_graph.so.9" in text.split("libz.so.1", 1)[-1][:400],
           "whose zlib it is", text.split("\n"))
    tap.comment(first_lines(text, 1))


def linked_against_newer(tap, make):
    """A program that calls what the cuDNN that it finds does not have yet."""
    stage = make()
    stage.unpack(CUDNN_896, LIBRARIES + ".so.8", "/opt/linked")
    stage.unpack(CUDNN_850, LIBRARIES + "*.so.8", "/opt/found")
    for name, options in (("lazy", []), ("now", ["-Wl,-z,now"])):
        stage.compile(f"/opt/{name}", "long cudnnGetMaxDeviceVersion(void);\nint main(void) { return "
                                      "cudnnGetMaxDeviceVersion(); }\n",
                      ["/opt/linked/libcudnn.so.8"], options, shared=False)
    path = ["--env", "LD_LIBRARY_PATH=/opt/found"]
    answer = stage.ask("/opt/now", *path)
    found = findings(answer, "CUD201")
    told = words(found)
    tap.ok(answer["verdict"] == "fails" and found and "and libcudnn.so.8 here is cuDNN 8.5.0: cudnnGetMaxDeviceVersion "
                                                      "is first seen in 8.6.0" in found[0]["message"],
           "which function, which release first had it, and which one the file is", [answer["verdict"], told])
    tap.ok("undefined symbol: cudnnGetMaxDeviceVersion, version libcudnn.so.8" in told, "what the loader will say",
           [told])
    answer = stage.ask("/opt/lazy", *path)
    found = findings(answer, "CUD201")
    tap.ok(found and found[0]["level"] == "warning" and "the first such call" in found[0]["consequence"],
           "bound lazily it ends at the first call",
           [words(found)])
    tap.ok("built for CUDA 11.7" in words(found), "which CUDA the file was built for", [words(found)])
    options = stage.apply(found[0]["fixes"][0])
    after = stage.ask("/opt/now", *options[:2], "--env", options[3] + ":/opt/found")
    tap.ok(not findings(after, "CUD201"), "after the fix the function is there", [words(alarms(after))])
    tap.comment(first_lines(stage.tell("/opt/now", *path), 1))


def main():
    tap = Tap()
    wheels_or_bail_out(tap, [*CUDA_11, CUDNN_850, CUDNN_CUDA_12])
    wheels_or_bail_out(tap, [ONNXRUNTIME, CUDNN_9], "pins.txt")
    for story in (right_ones, for_another_cuda, two_releases, nested_misses, linked_against_newer):
        tap.comment(story.__doc__)
        with scratch_folder() as scratch:
            story(tap, lambda zlib=True: Stage(sys.argv[1], scratch, zlib))  # pylint: disable=cell-var-from-loop
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
