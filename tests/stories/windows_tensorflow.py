#!/usr/bin/env python3
"""TensorFlow on Windows cannot load cudart64_110.dll: what cudald must say of each way in which that comes about.

    windows_tensorflow.py CUDALD [--real]

The wheels are small ones of the same structure, or with --real those of tensorflow 2.6.0 and nvidia-cuda-runtime-cu11,
from the cache or the package index. Output is TAP.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from pe_writer import OPTIONAL, PeFile  # noqa: E402
from pinned import WHEELS, fetch_wheels  # noqa: E402
from tap import Tap  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

RUNTIME = "nvidia_cuda_runtime_cu11-11.8.89-py3-none-win_amd64.whl"
RUNTIME_12 = "nvidia_cuda_runtime_cu12-12.8.90-py3-none-win_amd64.whl"
TENSORFLOW = "tensorflow-2.6.0-cp39-cp39-win_amd64.whl"
LOADER = "tensorflow/python/_pywrap_tensorflow_internal.pyd"
SITE = "C:\\Python39\\Lib\\site-packages"  # of the Python of a fresh Windows
BELOW_SITE = "nvidia\\cuda_runtime\\bin"
BIN = f"{SITE}\\{BELOW_SITE}"
BUILD_INFO = "build_info = dict([('cuda_version', '64_112'), ('cudnn_version', '64_8'), ('is_cuda_build', True)])\n"


def dll(imports=(), name="", machine=0x8664):
    pe = PeFile()
    if imports:
        pe.imports([(each.encode(), [b"f"]) for each in imports])
    if name:
        pe.exports(name.encode(), [(b"f", None)])
    data = bytearray(pe.finish())
    data[0x44:0x46] = machine.to_bytes(2, "little")
    if machine == 0x14C:
        data[OPTIONAL : OPTIONAL + 2] = b"\x0b\x01"
    return bytes(data)


class World:
    def __init__(self, cudald, scratch, real):
        self.cudald, self.scratch = cudald, scratch
        self.count = 0
        if real:
            self.tensorflow, self.runtime = (os.path.join(WHEELS, name) for name in (TENSORFLOW, RUNTIME))
            with zipfile.ZipFile(self.runtime) as archive:
                self.cudart = archive.read("nvidia/cuda_runtime/bin/cudart64_110.dll")
                self.narrow = archive.read("nvidia/cuda_runtime/bin/cudart32_110.dll")
            with zipfile.ZipFile(os.path.join(WHEELS, RUNTIME_12)) as archive:
                self.others = {"cudart64_12": archive.read("nvidia/cuda_runtime/bin/cudart64_12.dll")}
        else:
            self.cudart = dll(name="cudart64_110.dll")
            self.narrow = dll(machine=0x14C)
            self.others = {}
            self.tensorflow = write_wheel(scratch, TENSORFLOW, {
                "tensorflow/__init__.py": "from tensorflow.python.platform import build_info\n"
                                          "from tensorflow.python import _pywrap_tensorflow_internal\n",
                "tensorflow/python/__init__.py": "", "tensorflow/python/platform/__init__.py": "",
                "tensorflow/python/platform/build_info.py": BUILD_INFO,
                LOADER: dll(imports=["KERNEL32.dll"]),
            })
            self.runtime = write_wheel(scratch, RUNTIME, {"nvidia/cuda_runtime/bin/cudart64_110.dll": self.cudart})

    def folder(self, **files):
        """A folder with DLLs."""
        self.count += 1
        path = os.path.join(self.scratch, f"folder{self.count}")
        os.mkdir(path)
        for name, data in files.items():
            with open(os.path.join(path, name + ".dll"), "wb") as out:
                out.write(data)
        return path

    def ask(self, *words):
        done = subprocess.run([self.cudald, "explain", "-f", "json", *words], check=False, capture_output=True,
                              text=True)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{' '.join(words)}: exit status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)


def edge_of(answer, name):
    for thing in answer["objects"]:
        for edge in thing["needed"]:
            if edge["name"] == name:
                return edge
    return None


def finding_of(answer, subject):
    found = [finding for finding in answer["findings"] if finding["subject"] == subject]
    return found[0] if found else None


def words_of(finding):
    return json.dumps(finding, ensure_ascii=False)


def places(edge):
    return [(probe["rule"], probe["path"], probe["result"]) for probe in edge["tried"]]


class Story:
    def __init__(self, tap, world):
        self.tap, self.world = tap, world

    def says(self, name, holds, *details):
        self.tap.ok(holds, name, details)

    def run(self):
        self.absent()
        self.first_fix()
        self.off_path()
        self.on_path()
        self.narrow_copy()
        self.other_abi("cudart64_12")
        self.other_abi("cudart64_102")
        self.kinds_of_load()
        self.described_machine()

    def absent(self):
        answer = self.world.ask(self.world.tensorflow)
        edge, finding = edge_of(answer, "cudart64_110.dll"), finding_of(answer, "cudart64_110.dll")
        self.says("absent: the verdict is that only the GPU is lost", answer["verdict"] == "cpu-only",
                  answer["verdict"])
        self.says("absent: the import itself succeeds", all(not target["error"] for target in answer["targets"]),
                  answer["targets"])
        self.says("absent: a soft request by name",
                  edge is not None and edge["kind"] == "dlopen" and edge["hard"] is False, edge)
        self.says("absent: TensorFlow's own loader asks", edge is not None and LOADER in edge.get("asked_at", ""), edge)
        if edge is None or finding is None:
            return
        rules = [place[0] for place in places(edge)]
        wanted = ["application-dir", "system", "system16", "windows-dir"]
        self.says("absent: the folders searched, in their order", rules == wanted, *places(edge))
        self.says("absent: a warning, no error", (finding["code"], finding["level"]) == ("CUD501", "warning"), finding)
        text = words_of(finding)
        for what, part in {
            "`import tensorflow` works": "`import tensorflow` works", "on the CPU": "runs on the CPU",
            "the DLL serves all of CUDA 11": "serves every CUDA 11.x, from 11.0 to 11.8",
            "the build wants CUDA 11.2 and cuDNN 8": "CUDA 11.2 and cuDNN 8",
            "later TensorFlow has no GPU build": "after 2.10 has no GPU build for native Windows",
            "what pip installs": "pip install nvidia-cuda-runtime-cu11",
            "where that lands": json.dumps("site-packages\\" + BELOW_SITE)[1:-1],
            "that it is not searched there": "this load does not look", "how to add it": "%PATH%",
        }.items():
            self.says(f"absent: says {what}", part in text, text)
        tables = [one for one in finding["evidence"] if one["basis"] == "table"]
        self.says("absent: every row of a table has its source", tables and all(one.get("source") for one in tables),
                  *tables)

    def first_fix(self):
        """What pip would install, as small wheels of the same layout, and the PATH that the command sets."""
        carried = {"cublas": ["cublas64_11", "cublasLt64_11"], "cuda-runtime": ["cudart64_110"], "cudnn": ["cudnn64_8"],
                   "cufft": ["cufft64_10"],
                   "curand": ["curand64_10"], "cusolver": ["cusolver64_11"], "cusparse": ["cusparse64_11"]}
        answer = self.world.ask(self.world.tensorflow)
        first = [finding for finding in answer["findings"] if finding["code"] == "CUD501"
                 and finding["level"] == "warning"][0]
        fix = first["fixes"][0]
        lines = fix["command"].splitlines()
        self.says("the first fix is against all eight DLLs that TensorFlow's loader misses",
                  "all 8 DLLs" in fix["title"] and LOADER.rpartition("/")[2] in fix["title"], fix)
        text = subprocess.run([self.world.cudald, self.world.tensorflow, "--width", "80"], capture_output=True,
                              text=True, check=False).stdout
        self.says("... and is said once",
                  text.count("fix for all 8:") == 1 and text.count("pip install ") == 1, text)
        self.says("... three lines for a console",
                  len(lines) == 3 and lines[0].startswith("pip install ") and "get_path('purelib')" in lines[1]
                  and lines[2].startswith('set "PATH=%site%'), *lines)
        words = []
        for requirement in lines[0].split()[2:]:
            name = re.fullmatch(r"nvidia-(.+)-cu11(==.+)?", requirement)[1]
            folder = name.replace("-", "_")
            file = f"nvidia_{folder}_cu11-11.0-py3-none-win_amd64.whl"
            words += ["--with", write_wheel(self.world.scratch, file,
                                      {f"nvidia/{folder}/bin/{each}.dll": dll(name=each + ".dll")
                                       for each in carried[name]})]
        path = re.fullmatch(r'set "PATH=(.+);%PATH%"', lines[2])[1].replace("%site%", SITE)
        after = self.world.ask(self.world.tensorflow, *words, "--env", "PATH=" + path)
        self.says("... and after it nothing is missing", after["verdict"] == "loads", after["verdict"],
                  *after["findings"])

    def off_path(self):
        answer = self.world.ask(self.world.tensorflow, "--with", self.world.runtime)
        finding = finding_of(answer, "cudart64_110.dll")
        self.says("not on PATH: the verdict", answer["verdict"] == "cpu-only", answer["verdict"])
        self.says("not on PATH: it is there, and not searched", finding is not None and finding["code"] == "CUD111",
                  finding)
        if finding is None:
            return
        self.says("not on PATH: names the folder", BIN in finding["message"], finding["message"])
        commands = [fix["command"] for fix in finding["fixes"]]
        self.says("not on PATH: the command that adds it",
                  any(f'set "PATH=%site%\\{BELOW_SITE};%PATH%"' in command for command in commands), *commands)
        after = self.world.ask(self.world.tensorflow, "--with", self.world.runtime, "--env", f"PATH={BIN}")
        self.says("not on PATH: after that command the finding is gone", finding_of(after, "cudart64_110.dll") is None,
                  *after["findings"])
        self.says("not on PATH: no fix copies or links another DLL to the name",
                  not any(re.search(r"\b(copy|mklink|ren)\b", command or "") for command in commands), *commands)

    def on_path(self):
        for what, words in {"a folder of PATH": ["--dll-path", self.world.folder(cudart64_110=self.world.cudart)],
                            "the wheel's folder on PATH": ["--with", self.world.runtime, "--dll-path", BIN],
                            "PATH as a variable": ["--with", self.world.runtime, "--env",
                                                   "PATH=C:\\none;" + BIN]}.items():
            answer = self.world.ask(self.world.tensorflow, *words)
            edge = edge_of(answer, "cudart64_110.dll")
            self.says(f"{what}: found there", places(edge)[-1][0] == "path" and places(edge)[-1][2] == "found",
                      *places(edge))
            self.says(f"{what}: nothing to say of it", finding_of(answer, "cudart64_110.dll") is None)
            # The five others that TensorFlow opens are of no help here, and it says so.
            left = [one["subject"] for one in answer["findings"] if one["level"] == "warning"]
            self.says(f"{what}: what else the GPU wants is still missing",
                      "cudnn64_8.dll" in left and answer["verdict"] == "cpu-only", *left)

    def narrow_copy(self):
        narrow, good = self.world.folder(cudart64_110=self.world.narrow), self.world.folder(
            cudart64_110=self.world.cudart)
        answer = self.world.ask(self.world.tensorflow, "--dll-path", narrow)
        finding = finding_of(answer, "cudart64_110.dll")
        self.says("a 32-bit copy alone: for another machine", finding is not None and finding["code"] == "CUD103",
                  finding)
        self.says("a 32-bit copy alone: error 193 in the loader's words",
                  finding is not None and "error 193: %1 is not a valid Win32 application." in words_of(finding),
                  finding)
        answer = self.world.ask(self.world.tensorflow, "--dll-path", narrow, "--dll-path", good)
        edge = edge_of(answer, "cudart64_110.dll")
        results = [place[2] for place in places(edge)][-2:]
        self.says("a 32-bit copy first: passed over", results[0].startswith("wrong-") and results[1] == "found",
                  *places(edge))

    def other_abi(self, name):
        answer = self.world.ask(self.world.tensorflow, "--dll-path",
                                self.world.folder(**{name: self.world.others.get(name, self.world.cudart)}))
        finding = finding_of(answer, "cudart64_110.dll")
        self.says(f"only {name}.dll: another ABI", finding is not None and finding["code"] == "CUD102", finding)
        if finding is None:
            return
        self.says(f"only {name}.dll: the file that is there is named", f"{name}.dll" in finding["message"],
                  finding["message"])
        self.says(f"only {name}.dll: copying it does not help",
                  any("copying" in text for text in finding["does_not_help"]), finding)
        self.says(f"only {name}.dll: what it serves, and what is wanted", "every CUDA 11.x" in words_of(finding) and
                  ("CUDA 12.x" in words_of(finding) or "CUDA 10.2" in words_of(finding)), finding)

    def kinds_of_load(self):
        """The same DLL in the import table of an extension module, and by its bare name."""
        module = write_wheel(self.world.scratch, "needs-1.0-cp39-cp39-win_amd64.whl",
                       {"needs/__init__.py": "from needs import _C\n",
                        "needs/_C.pyd": dll(imports=["cudart64_110.dll"])})
        path = self.world.folder(cudart64_110=dll(name="cudart64_110.dll"))
        for python, loads in {"3.7": True, "3.8": False, "3.9": False}.items():
            answer = self.world.ask(module, "--dll-path", path, "--python", python)
            self.says(f"a .pyd that imports it, Python {python}: PATH {'counts' if loads else 'does not count'}",
                      answer["verdict"] == ("loads" if loads else "fails"), answer["verdict"], *answer["findings"])
            if not loads:
                finding = finding_of(answer, "cudart64_110.dll")
                self.says(f"a .pyd that imports it, Python {python}: the error that Python prints",
                          "ImportError: DLL load failed while importing _C: The specified module could not be found."
                          in finding["consequence"], finding)
                self.says(f"a .pyd that imports it, Python {python}: os.add_dll_directory, not PATH",
                          any("add_dll_directory" in (fix["command"] or "") for fix in finding["fixes"])
                          and any("PATH" in text for text in finding["does_not_help"]), finding)
            answer = self.world.ask(self.world.tensorflow, "--dll-path", path, "--python", python)
            self.says(f"LoadLibrary by bare name, Python {python}: PATH counts",
                      places(edge_of(answer, "cudart64_110.dll"))[-1][2] == "found", answer["findings"])
        answer = self.world.ask(module, "--dll-path", path, "--add-dll-directory", path)
        self.says("a .pyd that imports it: os.add_dll_directory counts", answer["verdict"] == "loads",
                  *answer["findings"])
        answer = self.world.ask(self.world.tensorflow, "--add-dll-directory", path)
        self.says("LoadLibrary by bare name: os.add_dll_directory does not count",
                  finding_of(answer, "cudart64_110.dll")["code"] in ("CUD101", "CUD111"), answer["findings"])


    def described_machine(self):
        """As tools/capture-windows-host.ps1 describes one."""
        system = ["kernel32.dll", "ntdll.dll", "ucrtbase.dll", "advapi32.dll", "nvcuda.dll"]
        for what, listed in {"lists the DLL": ["cudart64_110.dll"], "does not list it": ["cudart64_12.dll"]}.items():
            path = os.path.join(self.world.scratch, f"host{len(listed[0])}.json")
            with open(path, "w", encoding="utf-8") as out:
                json.dump({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64",
                           "driver": "531.61", "windows": {
                    "build": "10.0.22631", "folder": "C:\\Windows", "known_dlls": ["kernel32.dll"],
                    "path": ["C:\\CUDA\\v11.2\\bin"],
                    "variables": {"CUDA_PATH": "C:\\CUDA\\v11.2"},
                    "python": {"version": "3.9.13", "flavour": "python.org", "folder": "D:\\Py"},
                    "folders": {"C:\\Windows\\System32": system, "C:\\CUDA\\v11.2\\bin": listed,
                                "D:\\Py": ["python39.dll", "python3.dll", "vcruntime140.dll", "vcruntime140_1.dll"]}}},
                                out)
            answer = self.world.ask(self.world.tensorflow, "--host", path)
            edge = edge_of(answer, "cudart64_110.dll")
            if edge is None:  # a real TensorFlow finds less of Windows there than it needs
                self.says(f"a description that {what}: what is not listed is not there", answer["verdict"] == "fails",
                          answer["verdict"])
                continue
            last = places(edge)[-1]
            self.says(f"a description that {what}: its PATH is searched",
                      last[1] == "C:\\CUDA\\v11.2\\bin\\cudart64_110.dll", *places(edge))
            self.says(f"a description that {what}: found or not",
                      (last[2] == "found") == (listed[0] == "cudart64_110.dll"), *places(edge))
            self.says(f"a description that {what}: Python's folder is its own",
                      places(edge)[0][1].startswith("D:\\Py\\"), *places(edge))


def composed_names(tap):
    """That TensorFlow's bytes hold the parts of the names in the table, side by side."""
    with zipfile.ZipFile(os.path.join(WHEELS, TENSORFLOW)) as archive, archive.open(LOADER) as member:
        tail, found = b"", set()
        words = ("64_110", "64_11", "64_10", "nvcuda", "cudart", "cublas", "cufft", "curand")
        parts = [word.encode() + b"\x00" for word in words]
        while chunk := member.read(1 << 24):
            window = tail + chunk
            at = window.find(parts[0])
            if at >= 0:
                near = window[max(0, at - 512) : at + 512]
                found = {part for part in parts if part in near}
                break
            tail = window[-1024:]
    tap.ok(len(found) == len(parts), "the parts of the composed names stand together in the real file",
           sorted(set(parts) - found))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cudald")
    parser.add_argument("--real", action="store_true")
    options = parser.parse_args()
    tap = Tap()
    if options.real:
        problem = fetch_wheels([TENSORFLOW, RUNTIME, RUNTIME_12], pins="pins-windows.txt")
        if problem:
            tap.skip("TensorFlow on Windows, real wheels", problem)
            return tap.finish()
        composed_names(tap)
    with tempfile.TemporaryDirectory(prefix="cudald-story-") as scratch:
        Story(tap, World(os.path.abspath(options.cudald), scratch, options.real)).run()
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
