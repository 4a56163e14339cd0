"""Modules as targets: what `import NAME` loads, in an environment and from wheels."""

import base64
import hashlib
import json
import shutil
import zipfile

from program import compile_c
from schema import Schema

CODE = {
    "good/__init__.py": "from . import _good\nimport ctypes\ntry:\n    ctypes.CDLL('libgone.so.7')\nexcept OSError:\n  "
                        "  pass\n\n\ndef later():\n    ctypes.CDLL('liblater.so.1')\n",
    "bad/__init__.py": "from bad import _bad\n",
    "poor/__init__.py": "import good\nimport absent_module\n",
}
SUFFIX = ".cpython-311-x86_64-linux-gnu.so"


def _files(folder):
    """Contents by path below site-packages: good._good needs libone.so beside it, bad._bad a library that is
    nowhere."""
    files = {path: text.encode() for path, text in CODE.items()}
    app = (folder / "lib" / "libtwo.so").read_bytes()
    files[f"good/_good{SUFFIX}"] = app
    files[f"bad/_bad{SUFFIX}"] = (folder / "lib" / "libneeds_gone.so").read_bytes()
    return files


def _write_wheel(path, name, files, requires=()):
    info = f"{name}-1.0.dist-info"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n" + "".join(
        f"Requires-Dist: {line}\n" for line in requires
    )
    members = {
        **files,
        f"{info}/METADATA": metadata.encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n",
    }
    record = []
    for member, data in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{member},sha256={digest},{len(data)}\n")
    record.append(f"{info}/RECORD,,\n")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, data in members.items():
            archive.writestr(member, data)
        archive.writestr(f"{info}/RECORD", "".join(record))


def test_imports(tap, cudald, source_root):
    schema = Schema(json.loads((source_root / "docs" / "json-schema.json").read_text()))
    site = cudald.folder / "site-packages"
    for path, data in _files(cudald.folder).items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_bytes(data)

    def ask(*words):
        ending = cudald.run("explain", "-f", "json", *words)
        report = json.loads(ending.out)
        problems = schema.problems(report)
        tap.ok(not problems, f"{' '.join(words)} fits the schema", problems[:5])
        return ending.status, report

    status, report = ask("--prefix", "site-packages", "good")
    target = report["targets"][0]
    tap.ok(
        status == 0 and len(report["targets"]) == 1 and target["given"] == "good" and target["error"] is None,
        "a module is one target",
        [report["targets"]],
    )
    edges = [edge for item in report["objects"] for edge in item["needed"] if "asked_at" in edge]
    asked = {edge["name"]: edge for edge in edges}
    tap.ok(
        asked["libgone.so.7"]["asked_at"].endswith("good/__init__.py:4")
        and asked["libgone.so.7"]["status"] == "missing",
        "a ctypes call has its place",
        [asked],
    )
    later = asked.get("liblater.so.1", {"hard": None})
    tap.ok(later["hard"] is False and later["asked_at"].endswith(":10"), "what may be loaded later is soft", [later])
    levels = {finding["subject"]: finding["level"] for finding in report["findings"]}
    tap.ok(levels == {"libgone.so.7": "note"}, "a failure that is caught is a note", [report["findings"]])

    status, report = ask("--prefix", "site-packages", "bad")
    tap.ok(
        status == 1 and report["targets"][0]["error"].startswith("ImportError: libgone.so: cannot open"),
        "a missing library is Python's ImportError",
        [report["targets"]],
    )
    tap.ok(
        any(item.get("mapped") is False and item["path"].endswith(SUFFIX) for item in report["objects"]),
        "what a failed import brought in is gone again",
    )
    story = cudald.run("--prefix", "site-packages", "bad").out
    tap.ok("`import bad` raises ImportError" in story, "the story tells what Python prints", story.splitlines())

    venv = cudald.folder / "venv"
    shutil.copytree(site, venv / "lib" / "python3.11" / "site-packages")
    (venv / "lib" / "python3.11" / "os.py").write_text("")
    status, report = ask("--prefix", "venv", "poor")
    codes = {finding["code"]: finding for finding in report["findings"]}
    tap.ok(
        status == 1 and codes["CUD114"]["subject"] == "absent_module" and report["verdict"] == "fails",
        "a module that is not there is told, with its place",
        [report["findings"]],
    )

    ending = cudald.run("--prefix", "site-packages", "py:absent_module")
    tap.ok(ending.status == 3 and "no such module is there" in ending.err, "a module that is nowhere is no target",
           [ending.err])
    wheels = cudald.folder / "wheels"
    wheels.mkdir()
    files = _files(cudald.folder)
    of = lambda name: {path: data for path, data in files.items() if path.startswith(name + "/")}
    _write_wheel(wheels / "good-1.0-cp311-cp311-linux_x86_64.whl", "good", of("good"))
    _write_wheel(wheels / "bad-1.0-cp311-cp311-linux_x86_64.whl", "bad", of("bad"))
    poor = wheels / "poor-1.0-cp311-cp311-linux_x86_64.whl"
    _write_wheel(poor, "poor", of("poor"), ["good>=1; sys_platform == 'linux'", "bad; sys_platform == 'win32'", "none"])
    status, report = ask("py:good", "--with", "wheels")
    paths = [item["path"] for item in report["objects"]]
    tap.ok(
        f"good-1.0-cp311-cp311-linux_x86_64.whl!/good/_good{SUFFIX}" in paths
        and not any("bad-1.0" in path for path in paths),
        "a module is imported from a folder of wheels",
        paths,
    )
    status, report = ask("py:poor", "--with", "wheels")
    paths = [item["path"] for item in report["objects"]]
    tap.ok(
        any(path.startswith("good-1.0") for path in paths) and not any(path.startswith("bad-1.0") for path in paths),
        "what a wheel requires is taken along, by its markers",
        paths,
    )
    story = cudald.run("-v", "py:poor", "--with", "wheels").out
    tap.ok("neither among the wheels nor installed: none" in story, "what is not there is named", story.splitlines())
    lines = cudald.run("check", "-f", "ndjson", "--separately", "-j", "3",
                       *[str(path) for path in sorted(wheels.iterdir())]).out
    given = [json.loads(line)["targets"][0]["given"] for line in lines.splitlines()]
    tap.ok(given == [str(path) for path in sorted(wheels.iterdir())], "many wheels are answered in order", given)


def test_conda_prefix(tap, cudald):
    """The library is in the environment, the interpreter's DT_RPATH would find it, and a DT_RUNPATH forbids that."""
    prefix = cudald.folder / "conda"
    capi = prefix / "lib" / "python3.11" / "site-packages" / "onnxruntime" / "capi"
    capi.mkdir(parents=True)
    (prefix / "bin").mkdir()
    (prefix / "conda-meta").mkdir()
    (prefix / "conda-meta" / "cudatoolkit-11.8.0-h37601d7_11.json").write_text(
        json.dumps({"name": "cudatoolkit", "version": "11.8.0", "files": ["lib/libcudart.so.11.0"]})
    )
    (prefix / "lib" / "python3.11" / "os.py").write_text("")
    compile_c(
        prefix, "-pie", "-o", "bin/python3.11",
        "-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib,-I,/lib64/ld-linux-x86-64.so.2"
    )
    compile_c(prefix, "-shared", "-o", "lib/libcudart.so.11.0", "-Wl,-soname,libcudart.so.11.0")
    compile_c(prefix, "-shared", "-o", capi / f"onnxruntime_pybind11_state{SUFFIX}")
    compile_c(
        prefix, "-shared", "-o", capi / "libonnxruntime_providers_cuda.so",
        "-Wl,--no-as-needed,--enable-new-dtags,-rpath,/usr/local/cuda-11.8/lib:", "lib/libcudart.so.11.0",
    )
    (capi.parent / "__init__.py").write_text("__version__ = '1.18.1'\nfrom onnxruntime.capi._pybind_state import *\n")
    (capi / "__init__.py").write_text("")
    (capi / "_pybind_state.py").write_text("from .onnxruntime_pybind11_state import *\n")

    def ask(**variables):
        ending = cudald.run("-f", "json", "--prefix", "conda", "onnxruntime", **variables)
        return ending.status, json.loads(ending.out)

    status, report = ask()
    finding = next((item for item in report["findings"] if item["subject"] == "libcudart.so.11.0"), {})
    tap.ok(
        status == 0 and report["verdict"] == "cpu-only" and finding.get("code") == "CUD106"
        and "CPUExecutionProvider" in finding["consequence"],
        "a library that a DT_RUNPATH hides costs the GPU, not the import",
        [status, report["verdict"], report["findings"]],
    )
    commands = [fix["command"] or "" for fix in finding.get("fixes", [])]
    folder = str(prefix / "lib")
    tap.ok(any(folder in command for command in commands), "the fix names the folder", commands)
    status, report = ask(LD_LIBRARY_PATH=folder)
    later = next(item for item in report["objects"] if item["path"] == folder + "/libcudart.so.11.0")
    tap.ok(
        report["verdict"] == "loads" and later["package"] == {"name": "cudatoolkit", "version": "11.8.0"},
        "with it the verdict is another one",
        [report["verdict"], later],
    )
    story = cudald.run("--prefix", "conda", "onnxruntime").out
    tap.ok(story.startswith("CPU ONLY  onnxruntime"), "the story begins with the verdict", story.splitlines()[:3])
