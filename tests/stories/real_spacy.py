#!/usr/bin/env python3
"""Story 3, told from real wheels: spaCy trains although libcudart.so.11.0 is missing.

    real_spacy.py CUDALD

spaCy 3.5.4 and Thinc 8.1.12 with all that they require: alone, beside TensorFlow 2.6.0, and with CuPy 9.6.0, whose CUDA
is missing or there. Output is TAP.
"""

import sys

from staging import (CUDA_11, Stage, findings, first_lines, python_packages, scratch_folder, wheels_or_bail_out, words)
from tap import Tap  # found by way of staging

TENSORFLOW = "tensorflow-2.6.0-cp39-cp39-manylinux2010_x86_64.whl"
CUPY = "cupy_cuda111-9.6.0-cp39-cp39-manylinux1_x86_64.whl"
NUMPY = "numpy-1.23.5-cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
NVRTC_111 = "libnvrtc.so.11.1"  # of CUDA 11.1, which pip does not have


class Asked:
    """What is asked of spaCy in one environment, with some wheels beside it."""

    def __init__(self, stage, prefix):
        self.stage, self.prefix = stage, prefix

    def words(self, *wheels, module="spacy"):
        return ["--prefix", self.prefix, f"py:{module}",
                *(word for name in wheels for word in ("--with", self.stage.wheel(name))),
                "--driver", "470.82.01"]

    def ask(self, *wheels, more=(), module="spacy"):
        question = [*self.words(*wheels, module=module), *more]
        self.stage.teach_python(*question)
        return self.stage.ask(*question)


def about(answer):
    found = findings(answer, "CUD403", "spacy")
    return (found[0] if found else {"message": "", "level": "", "consequence": "", "fixes": [],
                                    "does_not_help": []}), words(found)


def never_wrong_level(tap, what, answer):
    """A soft miss is no error, a hard one is no mere warning where it fails the whole."""
    wrong = [each for each in answer["findings"] if each["level"] == "error"]
    tap.ok(not wrong and not answer["targets"][0]["error"], f"{what}: nothing is called an error, the import works",
           [words(wrong)])


def alone(tap, world):
    """Without CuPy and TensorFlow."""
    answer = world.ask()
    finding, told = about(answer)
    tap.ok(answer["verdict"] == "loads" and finding["level"] == "note",
           "alone: it loads; how it would use the GPU is a note", [answer["verdict"], told])
    tap.ok("spacy 3.5.4 uses no CUDA library" in finding["message"]
           and "spacy 3.5.4: none (extension modules and libraries read: 43)" in told,
           "alone: no CUDA library is wanted at all, by none of its modules", [told])
    tap.ok("spacy[cuda11x]" in told and "spacy.require_gpu()" in told, "alone: what the GPU would take", [told])
    never_wrong_level(tap, "alone", answer)


def with_tensorflow(tap, world):
    """The thread: TensorFlow beside it, no CUDA anywhere."""
    answer = world.ask(TENSORFLOW)
    finding, told = about(answer)
    tap.ok(answer["verdict"] == "cpu-only" and answer["findings"][0]["code"] == "CUD403"
           and finding["level"] == "warning",
           "TensorFlow: whose message it is stands first", [answer["verdict"], told])
    tap.ok("spacy 3.5.4: none" in told and "thinc 8.1.12: none" in told, "TensorFlow: spaCy and Thinc want none",
           [told])
    tap.ok("tensorflow 2.6.0: libcudart.so.11.0 and 7 more, opened at run time by "
           "libtensorflow_framework.so.2 (soft)" in told and "thinc/compat.py:" in told,
           "TensorFlow: eight, softly, and who imports it", [told])
    tap.ok("The warning is printed by libtensorflow_framework.so.2 of tensorflow, not by spacy" in finding[
        "consequence"], "TensorFlow: who prints the warning", [told])
    tap.ok("Training and inference work, on the CPU" in finding["consequence"],
           "TensorFlow: the missing one only costs the GPU", [told])
    tap.ok("cupy: not installed" in told and finding["fixes"]
           and finding["fixes"][0]["command"].endswith("-m pip install 'spacy[cuda11x]'") and
           "spacy.require_gpu()" in finding["fixes"][0]["side_effect"],
           "TensorFlow: what is to be installed, and what turns the fall-back into an error", [told])
    tap.ok("still has no cupy" in words(finding["does_not_help"]), "TensorFlow: what does not help", [told])
    never_wrong_level(tap, "TensorFlow", answer)
    tap.comment(first_lines(world.stage.tell(*world.words(TENSORFLOW)), 1))
    message = ("Could not load dynamic library 'libcudart.so.11.0'; dlerror: "
               "libcudart.so.11.0: cannot open shared object file")
    text = world.stage.tell(*world.words(TENSORFLOW), "--error", message)
    tap.ok("tensorflow" in text.lower() and "not by spacy" in " ".join(text.split()),
           "a pasted message leads to the same", text.split("\n")[:20])


def with_cupy(tap, world):
    """CuPy is installed, and its CUDA is not."""
    answer = world.ask(CUPY)
    finding, told = about(answer)
    tap.ok(answer["verdict"] == "cpu-only" and finding["level"] == "warning"
           and "cupy 9.6.0, through which it would use the GPU, does not load" in finding["message"],
           "CuPy without CUDA: the GPU is lost", [answer["verdict"], told])
    tap.ok("cupy 9.6.0: libcublas.so.11 and 6 more (hard)" in told, "CuPy without CUDA: hard for CuPy", [told])
    tap.ok("`import cupy` raises ImportError; what imports it here catches that" in finding["consequence"],
           "CuPy without CUDA: an error for CuPy alone, not for spaCy", [told])
    tap.ok("conda install" in finding["fixes"][0]["command"] and "cudatoolkit=11.1" in finding["fixes"][0]["command"],
           "CuPy without CUDA: the CUDA 11.1 that has all it needs", [told])
    tap.ok("spacy.require_gpu() before spacy.load()" in told,
           "CuPy without CUDA: what turns the fall-back into an error", [told])
    never_wrong_level(tap, "CuPy without CUDA", answer)
    tap.comment(first_lines(world.stage.tell(*world.words(CUPY)), 1))

    itself = world.ask(CUPY, module="cupy")
    hard = findings(itself, subject="libcublas.so.11")
    tap.ok(itself["verdict"] == "fails" and hard and hard[0]["level"] == "error",
           "import cupy itself: a hard miss is an error", [itself["verdict"], words(hard)])
    strict = world.stage.ask(*world.words(CUPY), "--require-gpu")
    tap.ok(strict["verdict"] == "fails" and about(strict)[0]["level"] == "error", "with --require-gpu it fails",
           [strict["verdict"]])

    # What conda's cudatoolkit 11.1 has: NVIDIA's libraries of the same names, and the NVRTC that only that release has.
    for wheel in CUDA_11:
        if "cudnn" not in wheel:
            world.stage.unpack(wheel, "*.so.*", f"{world.prefix}/lib")
    world.stage.compile(f"{world.prefix}/lib/{NVRTC_111}", "", options=[f"-Wl,-soname,{NVRTC_111}"])
    after = world.ask(CUPY)
    tap.ok(after["verdict"] in ("loads", "risk") and not findings(after, "CUD403"),
           "CuPy with CUDA: nothing to say of spaCy", [after["verdict"], about(after)[1]])


def main():
    tap = Tap()
    wheels_or_bail_out(tap, [*CUDA_11, *python_packages(), TENSORFLOW, CUPY, NUMPY])
    tap.comment("not staged as TensorFlow 2.6.0 asks for it: wrapt 1.12 and termcolor 1.1 (no wheels), "
                "typing_extensions 3.7, numpy 1.19")
    with scratch_folder() as scratch:
        stage = Stage(sys.argv[1], scratch)
        world = Asked(stage, stage.conda())
        stage.install(*python_packages())
        for story in (alone, with_tensorflow, with_cupy):
            tap.comment(story.__doc__)
            story(tap, world)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
