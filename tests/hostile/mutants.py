#!/usr/bin/env python3
"""Gives cudald real files of 15 kinds with small faults, each drawn by its number.

    mutants.py CUDALD [--count N] [--first N] [--only KIND] [--keep DIR] [--time-limit S] [--memory-limit MB] [--jobs N]

Mutant N is of kind N mod 15: a library, a program, an extension module, a DLL, a program for Windows, a wheel, a conda
package, an image, a loader's cache, a lock, an environment, a Python source, a description of a machine, a
configuration or knowledge table, a pasted message. Members of archives are damaged before they are packed, or the
archive itself. cudald must end by itself, within the limits, with a documented exit status; no raw control byte may
reach the terminal, and JSON and XML must be whole. --keep leaves the folders of what failed in DIR. Output is TAP.
"""

import argparse
import bz2
import collections
import concurrent.futures
import glob
import io
import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unicodedata
import zipfile
from xml.etree import ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from measured import measured  # noqa: E402
from pe_writer import sample  # noqa: E402
from python_sources import edited, standard_modules  # noqa: E402
from tap import Tap, first  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

FORMATS = ["text", "text", "json", "json", "sarif", "junit", "github", "markdown", "html", "dot", "mermaid",
           "cyclonedx", "ndjson"]
LARGEST = 400_000  # bytes of a real file that is taken
WORDS = [b"\0", b"\x1b[31m", b"\xe2\x80\xae", b"\xff\xfe", b"\r", b"\n", b'"', b"'", b"\\", b"../", b"/", b"[", b"]",
         b"{", b"}", b"[[", b"=", b"==", b"1e999", b"-1", b"99999999999999999999", b"0x", b"%s", b"<", b">", b"&",
         b"]]>", b"-->", b"\xf3\xa0\x81\x81", b"\xc2\x85", b"null", b"true", b"1979-05-27", b";", b",", b"*", b"@ ",
         b"file:///", b"# ", b"import ", b"$ORIGIN", b"$LIB", b"##vso[x]y", b"##[error]", b" ::error::x", b"\n::x::y"]
NUMBERS = [0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 63,
           (1 << 64) - 1, (1 << 64) - 8, 1 << 48, 4095, 4096, 0x10000]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    os.chmod(path, 0o755)


def place(size, chance):
    """Where headers, tables and directories are: at the beginning, the end, and in places that pieces begin at."""
    kind = chance.random()
    if kind < 0.4:
        return chance.randrange(min(size, 1024))
    if kind < 0.55:
        return size - 1 - chance.randrange(min(size, 512))
    if kind < 0.7:
        return min(size - 1, chance.randrange(size) // 4096 * 4096 + chance.randrange(64))
    return chance.randrange(size)


def damaged(data, chance):
    """Some bytes are others, pieces are gone, doubled or exchanged."""
    data = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 3, 5, 8, 20])):
        if not data:
            break
        at, kind = place(len(data), chance), chance.random()
        if kind < 0.25:
            data[at] ^= 1 << chance.randrange(8)
        elif kind < 0.4:
            data[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif kind < 0.75:
            width = chance.choice([1, 2, 4, 8])
            at = at // width * width
            number = chance.choice([*NUMBERS, len(data), len(data) - 1, chance.randrange(1 << 32)])
            piece = (number & ((1 << 8 * width) - 1)).to_bytes(width, chance.choice(["little", "little", "big"]))
            data[at:at + width] = piece[:len(data) - at]
        elif kind < 0.8:
            del data[at:at + chance.choice([1, 4, 64, 4096, len(data)])]
        elif kind < 0.87:
            data[at:at] = data[at:at + chance.choice([1, 8, 64, 512])] * chance.choice([1, 2, 40])
        elif kind < 0.93:
            other, width = place(len(data), chance), chance.choice([1, 8, 64])
            data[at:at + width], data[other:other + width] = data[other:other + width], data[at:at + width]
        else:
            data[at:at] = chance.choice(WORDS) * chance.choice([1, 1, 1, 3, 200])
    return bytes(data)


def spoiled(text, chance):
    """Words and lines of a text are gone, doubled, exchanged, nested or others."""
    for _ in range(chance.choice([1, 1, 2, 3, 6])):
        at, kind = chance.randrange(len(text) + 1), chance.random()
        lines = text.split(b"\n")
        i, j = chance.randrange(len(lines)), chance.randrange(len(lines))
        if kind < 0.35:
            text = text[:at] + chance.choice(WORDS) * chance.choice([1, 1, 1, 2, 40, 3000]) + text[at:]
        elif kind < 0.5:
            text = text[:at] + text[at + chance.choice([1, 1, 5, 50]):]
        elif kind < 0.6:
            lines[i], lines[j] = lines[j], lines[i]
            text = b"\n".join(lines)
        elif kind < 0.7:
            text = b"\n".join(lines[:i] + [lines[i]] * chance.choice([2, 3, 400]) + lines[i + 1:])
        elif kind < 0.8:
            lines[i] = lines[j][:chance.randrange(len(lines[j]) + 1)] + lines[i]
            text = b"\n".join(lines)
        elif kind < 0.88:
            left, right = chance.choice([(b"[", b"]"), (b"{", b"}"), (b"(", b")"), (b'{"a":', b"}"), (b'"', b'"')])
            depth = chance.choice([2, 30, 3000])
            text = text[:at] + left * depth + text[at:at + 5] + right * chance.choice([depth, 0]) + text[at + 5:]
        else:
            text = damaged(text, chance)
    return text


def other_value(chance):
    return chance.choice([None, True, -1, 0, 1 << 31, 1 << 63, (1 << 64) - 1, 1e300, "", "/", "..", "a" * 5000, [], {},
                          [[[]]], {"": ""}, "\x00\x1b[1m", "\u202e", "\ud800", "*", "%s%n", "{library}", "(((((",
                          "99999999999999999999.1", "$ORIGIN", "*" * 200, "a*" * 60 + "b"])


def twisted(value, chance, depth=0):
    """One value of a document of JSON is another, is gone, or is there more than once."""
    if depth < 12 and isinstance(value, (dict, list)) and value and chance.random() < 0.85:
        value = dict(value) if isinstance(value, dict) else list(value)
        key = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        kind = chance.random()
        if kind < 0.75:
            value[key] = twisted(value[key], chance, depth + 1)
        elif kind < 0.85:
            del value[key]
        elif isinstance(value, list):
            value[key:key] = [value[key]] * chance.choice([1, 2, 500])
        else:
            value[chance.choice(["", "name", "x\x1b"])] = value[key]
        return value
    return other_value(chance)


def spoiled_json(text, chance):
    """A document that is still JSON, mostly."""
    if chance.random() < 0.3:
        return spoiled(text, chance)
    value = json.loads(text)
    for _ in range(chance.choice([1, 1, 2, 4])):
        value = twisted(value, chance)
    return json.dumps(value).encode()


def excerpt(path):
    """A table with a few rows of each of its lists and groups, as text."""
    def shortened(value, depth=0):
        if isinstance(value, list):
            return [shortened(item, depth + 1) for item in value[:6]]
        if isinstance(value, dict):
            return {key: shortened(item, depth + 1) for key, item in list(value.items())[:30 if depth < 1 else 8]}
        return value

    with open(path, encoding="utf-8") as file:
        return json.dumps(shortened(json.load(file))).encode()


def spoiled_text(name, text, chance):
    return (spoiled_json if name.endswith(".json") else spoiled)(text, chance)


class Sources:
    """The real files, and those that are made of them where this machine has none."""

    def __init__(self, cudald, folder):
        self.folder, self.cudald = folder, cudald
        machine = sysconfig.get_config_var("MULTIARCH") or "x86_64-linux-gnu"
        self.libraries = self.small(f"/lib/{machine}/*.so.*", f"/usr/lib/{machine}/*.so.*")
        self.programs = self.small("/usr/bin/*", "/bin/*", begins=b"\x7fELF")
        self.modules = self.small(os.path.join(sysconfig.get_paths()["stdlib"], "lib-dynload", "*.so"),
                                  "/usr/lib/python3/dist-packages/*.so", "/usr/lib/python3*/lib-dynload/*.so")
        self.pe_programs = self.small("/root/.pyenv/versions/*/lib/python*/site-packages/pip/_vendor/distlib/*.exe",
                                      "/usr/lib/python3/dist-packages/pip/_vendor/distlib/*.exe",
                                      "/usr/share/python-wheels/*.exe", "/usr/lib/gcc/x86_64-w64-mingw32/*/*.dll",
                                      begins=b"MZ")
        dll = os.path.join(folder, "made.dll")
        write(dll, sample())
        self.dlls = [dll]
        self.sources = standard_modules()
        self.caches = ["/etc/ld.so.cache"]
        host = os.path.join(folder, "host.json")
        subprocess.run([cudald, "env", "--save", host, "--sysroot", "/nonexistent"], capture_output=True, check=False)
        if not os.path.exists(host):
            write(os.path.join(folder, "root", "lib", "libc.so.6"), read(f"/lib/{machine}/libz.so.1"))
            write(os.path.join(folder, "root", "etc", "ld.so.conf"), "/lib\n")
            subprocess.run([cudald, "env", "--save", host, "--sysroot", os.path.join(folder, "root")],
                           capture_output=True, check=False)
        self.hosts = [host]
        with open(os.path.join(HERE, "..", "cuda", "real-messages.json"), encoding="utf-8") as file:
            self.messages = [row["text"].encode() for row in json.load(file)["messages"]]
        self.tables = [excerpt(path) for path in sorted(glob.glob(os.path.join(HERE, "..", "..", "data", "*.json")))]

    @staticmethod
    def small(*patterns, begins=b""):
        found = sorted({os.path.realpath(path) for pattern in patterns for path in glob.glob(pattern)})
        found = [path for path in found if os.path.isfile(path) and 0 < os.path.getsize(path) <= LARGEST]
        found = [path for path in found if read(path)[:len(begins)] == begins]
        if not found:
            raise SystemExit(f"none of {patterns}")
        return found


def library(sources, folder, chance):
    write(f"{folder}/libx.so", damaged(read(chance.choice(sources.libraries)), chance))
    return chance.choice([["check"], ["explain", "-v", "--symbols", "all"], ["show"], ["check", "--gpu", "sm_90"],
                          ["repair", "-o", "new.so"], ["tree"]]) + ["./libx.so"]


def program(sources, folder, chance):
    write(f"{folder}/main", damaged(read(chance.choice(sources.programs)), chance))
    return chance.choice([["check"], ["explain", "-v"], ["show"], ["tree"],
                          ["repair", "-o", "new"]]) + ["./main"]


def extension(sources, folder, chance):
    write(f"{folder}/site/ext.so", damaged(read(chance.choice(sources.modules)), chance))
    write(f"{folder}/site/m.py", "import ext\next.name\n")
    return ["check", "--prefix", "site", chance.choice(["py:m", "py:ext"])]


def dll(sources, folder, chance):
    write(f"{folder}/x.dll", damaged(read(chance.choice(sources.dlls + sources.pe_programs)), chance))
    return chance.choice([["check"], ["show"], ["explain", "-v"]]) + ["x.dll"]


def pe_program(sources, folder, chance):
    write(f"{folder}/x.exe", damaged(read(chance.choice(sources.pe_programs)), chance))
    write(f"{folder}/x.exe.manifest", spoiled(
        b"<?xml version='1.0'?>\n<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'>\n<file name="
        b"'a.dll'/>\n<dependency><dependentAssembly>\n<assemblyIdentity name='x' version='1.0.0.0' type='win32'/>\n"
        b"</dependentAssembly></dependency>\n</assembly>\n", chance))
    return chance.choice([["check"], ["show"], ["explain", "-v"]]) + ["x.exe"]


METADATA = (b"Metadata-Version: 2.1\nName: pkg\nVersion: 1.0\nRequires-Dist: nvidia-cublas-cu12 (==12.1.3.1) ; "
            b"platform_system == \"Linux\" and platform_machine == \"x86_64\"\nRequires-Dist: numpy[a,b]>=1.2,<3\n"
            b"Requires-Python: >=3.8\nProvides-Extra: a\n\ntext\n")


def wheel(sources, folder, chance):
    members = {"pkg/__init__.py": b"from . import ext\n", "pkg/ext.so": read(chance.choice(sources.modules)),
               "pkg/libz.so": read(chance.choice(sources.libraries)), "x.pth": b"import os\npkg\n"}
    inside = chance.random() < 0.5
    if inside:
        name = chance.choice(sorted(members))
        edit = damaged if name.endswith(".so") else spoiled
        members[name] = edit(members[name], chance)
    path = write_wheel(folder, f"pkg-1.0-cp311-cp311-{chance.choice(['linux', 'manylinux2014'])}_x86_64.whl", members,
                       chance.choice([zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED]))
    if not inside:
        # Most of the directory at the end, as what is compressed shows few kinds of faults.
        data = read(path)
        end = len(data) - chance.choice([1500, 600])
        write(path, data[:end] + damaged(data[end:], chance) if chance.random() < 0.7 else damaged(data, chance))
    command = chance.choice([["check"], ["explain", "-v"], ["show", "-v"], ["repair", "-w", "new"]])
    return command + [os.path.basename(path)]


def tar_of(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(data), 0o755
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def conda(sources, folder, chance):
    index = b'{"name": "pkg", "version": "1.0", "build": "0", "subdir": "linux-64", "depends": ["python >=3.8"]}'
    paths = b'{"paths": [{"_path": "lib/libx.so", "path_type": "hardlink", "prefix_placeholder": "/a"}]}'
    members = {"info/index.json": index, "info/paths.json": paths,
               "lib/libx.so": read(chance.choice(sources.libraries))}
    inside = chance.random() < 0.6
    if inside:
        name = chance.choice(sorted(members))
        members[name] = (damaged if name.endswith(".so") else spoiled_json)(members[name], chance)
    data = tar_of(members)
    if not inside:
        data = damaged(data, chance)
    data = bz2.compress(data, 1)
    if chance.random() < 0.2:
        data = damaged(data, chance)
    write(f"{folder}/pkg-1.0-0.tar.bz2", data)
    return [chance.choice(["check", "show", "explain"]), "pkg-1.0-0.tar.bz2"]


def image(sources, folder, chance):
    layer = {"bin/app": read(chance.choice(sources.programs)), "lib/libz.so.1": read(chance.choice(sources.libraries)),
             "etc/ld.so.conf": b"/lib\n"}
    parts = {"layer.tar": tar_of(layer), "config.json": b'{"architecture": "amd64", "os": "linux", "config": {"Env": ['
             b'"PATH=/bin", "LD_LIBRARY_PATH=/lib"], "WorkingDir": "/"}}',
             "manifest.json": b'[{"Config": "config.json", "RepoTags": ["x:1"], "Layers": ["layer.tar"]}]'}
    name = chance.choice([*parts, None])
    if name:
        parts[name] = (damaged if name == "layer.tar" else spoiled_json)(parts[name], chance)
    data = tar_of(parts)
    write(f"{folder}/image.tar", data if name else damaged(data, chance))
    return chance.choice([["check"], ["tree"], ["explain", "-v"]]) + ["--sysroot", "image.tar", "/bin/app"]


def cache(sources, folder, chance):
    write(f"{folder}/root/etc/ld.so.cache", damaged(read(chance.choice(sources.caches))[:20_000], chance))
    write(f"{folder}/root/etc/ld.so.conf", spoiled(b"include /etc/ld.so.conf.d/*.conf\n/lib\nhwcap 0 nosegneg\n",
                                                  chance))
    write(f"{folder}/root/etc/ld.so.conf.d/a.conf", spoiled(b"/usr/lib\n# text\n/opt/lib\n", chance))
    write(f"{folder}/root/bin/app", read("/bin/true"))
    return chance.choice([["check", "/bin/app"], ["explain", "-v", "/bin/app"], ["env"]]) + ["--sysroot", "root"]


LOCKS = {
    "pylock.toml": b'lock-version = "1.0"\ncreated-by = "x"\nrequires-python = ">=3.8"\n[[packages]]\nname = "torch"\n'
                   b'version = "2.5.1"\nmarker = "sys_platform == \'linux\'"\n[[packages.wheels]]\nname = "torch-2.5.1-'
                   b'cp311-cp311-linux_x86_64.whl"\nurl = "https://example.org/t.whl"\nhashes = {sha256 = "00"}\n',
    "uv.lock": b'version = 1\nrequires-python = ">=3.11"\nresolution-markers = ["python_version < \'3.12\'"]\n'
               b'[[package]]\nname = "app"\nversion = "1"\nsource = { virtual = "." }\ndependencies = [{ name = "torch"'
               b', marker = "sys_platform == \'linux\'", extra = ["a"] }]\n[[package]]\nname = "torch"\nversion = '
               b'"2.5.1"\nsource = { registry = "https://example.org" }\nwheels = [{ url = "https://example.org/torch-'
               b'2.5.1-cp311-cp311-linux_x86_64.whl", hash = "sha256:00", size = 1 }]\n',
    "requirements.txt": b"# text\n--index-url https://example.org/simple\ntorch==2.5.1 ; python_version >= '3.8' \\\n"
                        b"  --hash=sha256:00\nnumpy[a,b]==1.26.4\nx @ https://example.org/x-1-py3-none-any.whl\n"
                        b"-r more.txt\n-c c.txt\n",
    "report.json": b'{"version": "1", "pip_version": "23", "install": [{"metadata": {"name": "torch", "version": '
                   b'"2.5.1", "requires_dist": ["numpy>1; extra == \'a\'"]}, "download_info": {"url": "https://e/t.whl"'
                   b'}, "requested": true}], "environment": {"python_version": "3.11"}}',
    "conda.txt": b"# platform: linux-64\n@EXPLICIT\nhttps://conda.anaconda.org/conda-forge/linux-64/pytorch-2.5.1-"
                 b"cuda126_py311h_0.conda#00\n",
    "conda-lock.yml": b"version: 1\nmetadata:\n  platforms:\n  - linux-64\npackage:\n- name: pytorch\n  version: 2.5.1"
                      b"\n  manager: conda\n  platform: linux-64\n  dependencies:\n    python: '>=3.11'\n  url: https:"
                      b"//e/p.conda\n  hash:\n    md5: '00'\n",
}


def lock(_, folder, chance):
    name = chance.choice(sorted(LOCKS))
    write(f"{folder}/{name}", spoiled_text(name, LOCKS[name], chance))
    write(f"{folder}/more.txt", spoiled(b"scipy==1.11\n", chance))
    return ["check", name] + chance.choice([[], ["--python", "3.11", "--platform", "linux-x86_64"]])


def environment(sources, folder, chance):
    files = {
        "pyvenv.cfg": b"home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n",
        "lib/python3.11/site-packages/pkg/__init__.py": b"from . import ext\n",
        "lib/python3.11/site-packages/x.pth": b"import sys; sys.path.append('/opt')\nother\n# text\n../../..\n",
        "lib/python3.11/site-packages/__editable__.e-1.pth": b"/opt/e/src\n",
        "lib/python3.11/site-packages/pkg-1.0.dist-info/METADATA": METADATA,
        "lib/python3.11/site-packages/pkg-1.0.dist-info/RECORD": b"pkg/__init__.py,sha256=00,3\npkg/ext.so,,\n"
                                                                b"\"a,b\",,\n../../../bin/x,sha256=00,12\n",
        "lib/python3.11/site-packages/pkg-1.0.dist-info/direct_url.json": b'{"url": "file:///opt/e", "dir_info": '
                                                                         b'{"editable": true}}',
        "lib/python3.11/site-packages/pkg-1.0.dist-info/entry_points.txt": b"[console_scripts]\nx = pkg:main [a]\n",
        "lib/python3.11/site-packages/pkg-1.0.dist-info/top_level.txt": b"pkg\n",
        "lib/python3.11/site-packages/pkg-1.0.dist-info/INSTALLER": b"pip\n",
        "conda-meta/pkg-1.0-0.json": b'{"name": "pkg", "version": "1.0", "build": "0", "files": ["lib/libx.so"], '
                                     b'"depends": ["python"], "channel": "conda-forge"}',
        "conda-meta/history": b"==> 2024-01-01 00:00:00 <==\n# cmd: conda install x\n",
    }
    for name in chance.sample(sorted(files), chance.choice([1, 2, 3])):
        files[name] = spoiled_text(name, files[name], chance)
    for name, data in files.items():
        write(f"{folder}/env/{name}", data)
    write(f"{folder}/env/bin/python3", read("/bin/true"))
    write(f"{folder}/env/lib/python3.11/site-packages/pkg/ext.so", read(chance.choice(sources.modules)))
    return chance.choice([["check", "./env"], ["check", "--prefix", "env", "pkg"], ["env", "--prefix", "env"],
                          ["explain", "--prefix", "env", "-v", "pkg"]])


def source(sources, folder, chance):
    write(f"{folder}/m.py", edited(read(chance.choice(sources.sources)), chance))
    write(f"{folder}/train.py", "import sys\nimport m\n")
    return chance.choice([["check", "--prefix", ".", "py:m"], ["check", "--prefix", ".", "train.py"],
                          ["explain", "--prefix", ".", "train.py"], ["check", "--clear-env", "m.py"]])


def host(sources, folder, chance):
    write(f"{folder}/host.json", spoiled_json(read(chance.choice(sources.hosts)), chance))
    write(f"{folder}/main", read("/bin/true"))
    return ["check", "--host", "host.json", "./main"]


def settings(sources, folder, chance):
    write(f"{folder}/main", read("/bin/true"))
    kind = chance.choice(["cudald.toml", "pyproject.toml", "baseline", "knowledge"])
    text = (b'fail-on = "warning"\nrequire-gpu = true\ngpu = ["sm_80", "sm_90"]\nlevel = ["CUD108=error"]\n[policy]\n'
            b'max-glibc = "2.28"\nforbid-absolute-rpath = true\nallowed-libraries = ["libc.so.*"]\n[[ignore]]\n'
            b'code = "CUD302"\nobject = "libcurand*"\nreason = "x"\nuntil = 2027-01-01\n')
    if kind == "pyproject.toml":
        text = b"[project]\nname = 'x'\n[tool.cudald]\nfail-on = 'error'\n[tool.cudald.policy]\nmax-glibc = '2.17'\n"
    if kind == "baseline":
        base = b'{"schema": "cudald/baseline", "version": "1.0", "findings": [{"code": "CUD101", "path": "main"}]}'
        write(f"{folder}/base.json", spoiled_json(base, chance))
        return ["check", "--baseline", "base.json", "./main"]
    if kind == "knowledge":
        write(f"{folder}/more.json", spoiled_json(chance.choice(sources.tables), chance))
        return chance.choice([["check", "./main"], ["provides", "libcudart.so.12"]]) + ["--knowledge", "more.json"]
    write(f"{folder}/{kind}", spoiled(text, chance))
    return chance.choice([["check", "./main"], ["config", "show"]])


def message(sources, folder, chance):
    text = spoiled(chance.choice(sources.messages), chance)
    if chance.random() < 0.3:
        text += b"\n" + chance.choice(sources.messages)
    write(f"{folder}/log.txt", text)
    write(f"{folder}/main", read("/bin/true"))
    return ["explain", "--error", "-"] + chance.choice([[], ["./main"], ["--prefix", ".", "main"]])


KINDS = {
    "library": library, "program": program, "extension": extension, "DLL": dll, "Windows program": pe_program,
    "wheel": wheel, "conda package": conda, "image": image, "cache": cache, "lock": lock, "environment": environment,
    "Python source": source, "machine": host, "settings": settings, "message": message,
}
BIDIRECTIONAL = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u2028\u2029")


def format_faults(form, command, status, out):
    """What is wrong with the bytes of an answer."""
    try:
        text = out.decode()
    except UnicodeDecodeError as error:
        yield f"{form}: not UTF-8: {error}"
        return
    bad = {c for c in set(text) - {"\n"} if unicodedata.category(c) == "Cc" or c in BIDIRECTIONAL}
    # A table of Markdown or a line of JSON may be shown by a terminal as well.
    if bad:
        yield f"{form}: control characters {sorted(bad)!r}"
    command = re.search(r"##(\[|[a-zA-Z]+\[)" + ("" if form == "github" else r"|^\s*::[a-zA-Z]"), text, re.MULTILINE)
    if command:
        yield f"{form}: a command to who shows the log: {text[command.start():][:60]!r}"
    if status not in (0, 1, 3) or not text:
        return
    try:
        if form in ("json", "sarif", "cyclonedx"):
            json.loads(text)
        elif form == "ndjson":
            for line in text.splitlines():
                json.loads(line)
        elif form == "junit":
            ElementTree.fromstring(text)
    except (ValueError, ElementTree.ParseError) as error:
        yield f"{form}: {error}"


def faults_of(ending, form, command, limits):
    last = ending.stderr[-1200:].decode(errors="replace")
    if ending.timed_out:
        yield f"no end after {4 * limits.time_limit:.0f} s"
    elif ending.status not in (0, 1, 2, 3):
        yield f"exit status {ending.status}: {last}"
    if b"Sanitizer" in ending.stderr or b"runtime error:" in ending.stderr:
        yield f"sanitizer: {ending.stderr[:2500].decode(errors='replace')}"
    if ending.seconds > limits.time_limit:
        yield f"took {ending.seconds:.1f} s of processor time"
    if ending.megabytes > limits.memory_limit:
        yield f"took {ending.megabytes:.0f} MB"
    yield from format_faults(form, command, ending.status, ending.stdout)
    yield from format_faults("stderr", command, 2, ending.stderr)
    if ending.status == 2 and not ending.stderr:
        yield "exit status 2 without a word"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--count", type=int, default=300, metavar="N")
    parser.add_argument("--first", type=int, default=0, metavar="N")
    parser.add_argument("--only", choices=sorted(KINDS), metavar="KIND")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--time-limit", type=float, default=5, metavar="S", help="of processor time")
    parser.add_argument("--memory-limit", type=int, default=256, metavar="MB")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    options = parser.parse_args()
    options.cudald = os.path.abspath(options.cudald)
    tap = Tap()
    table, faults = collections.defaultdict(collections.Counter), collections.defaultdict(list)
    slowest, largest = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as root:
        root = os.path.realpath(root)
        sources = Sources(options.cudald, root)

        def run(number):
            kind = list(KINDS)[number % len(KINDS)]
            if options.only and kind != options.only:
                return kind, None, []
            chance = random.Random(f"mutant {number}")
            folder = os.path.join(root, str(number))
            os.mkdir(folder)
            words = KINDS[kind](sources, folder, chance)
            form = chance.choice(FORMATS if words[0] in ("check", "explain") else ["text", "json"])
            if words[0] == "explain" and "--error" in words:
                form = chance.choice(["text", "json"])
            environment = {"PATH": "/usr/bin:/bin", "HOME": folder, "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": folder}
            environment |= {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}
            command = [options.cudald, *words, "-f", form]
            if "--error" in words:
                command = ["/bin/sh", "-c", 'exec "$@" < log.txt', "sh", *command]
            ending = measured(command, 4 * options.time_limit, 64 << 20, env=environment, cwd=folder)
            found = list(faults_of(ending, form, words, options))
            if found and options.keep:
                shutil.copytree(folder, os.path.join(options.keep, str(number)), dirs_exist_ok=True)
            shutil.rmtree(folder)
            return kind, ending, [f"mutant {number}, {' '.join(words)} -f {form}: {fault}" for fault in found]

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for kind, ending, found in pool.map(run, range(options.first, options.first + options.count)):
                if ending is None:
                    continue
                table[kind][ending.status] += 1
                slowest[kind], largest[kind] = (max(slowest[kind], ending.seconds),
                                                max(largest[kind], ending.megabytes))
                faults[kind] += found
                for fault in found:
                    print(f"# {fault[:3000]}".replace("\n", "\n# "), flush=True)
    for kind, ends in table.items():
        tap.ok(not faults[kind], f"{sum(ends.values())} of {kind}", first(faults[kind]))
        statuses = ", ".join(f"{count} of status {status}" for status, count in sorted(ends.items()))
        tap.comment(f"{kind}: {statuses}; at most {slowest[kind]:.1f} s, {largest[kind]:.0f} MB")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
