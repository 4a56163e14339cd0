#!/usr/bin/env python3
"""Asks cudald questions while the system refuses one of its calls, one at a time: unread must be unknown.

    refused_calls.py CUDALD [--runs N | --all | --part K/N] [--only GLOB] [--seed N] [--table]

Each call of open, read, getdents, stat, mmap, readlink, write and rename that a question makes fails in some run, with
an error of the system that fits (refuse_call.c). The answer must be the undisturbed one, or UNKNOWN with exit status 3,
or, where nothing can be asked, a message with exit status 2 to 4: never another verdict, and never a crash. Without
--all a sample of N runs is drawn; --part K/N is one of N parts of all, which can run at once or one after the other.
Output is TAP; --table adds how many answers there were of each kind.
"""

import argparse
import collections
import errno
import fnmatch
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pe_writer import PeFile  # noqa: E402
from tap import Tap, first  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

# The calls that count as one kind, and the errors that they end with.
KINDS = {
    "open": ("open,openat,openat2", [errno.EMFILE, errno.EIO]),
    "read": ("read,pread64", [errno.EIO]),
    "list": ("getdents64", [errno.EIO]),
    "stat": ("stat,lstat,fstat,newfstatat,statx", [errno.EIO]),
    "map": ("mmap", [errno.ENOMEM]),
    "link": ("readlink,readlinkat", [errno.EIO]),
    "write": ("write,pwrite64", [errno.ENOSPC]),
    "rename": ("rename,renameat,linkat", [errno.EIO]),
}
LIMIT = 60  # seconds of a run


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def compile_c(path, source, *arguments):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    subprocess.run(["cc", "-x", "c", "-", "-o", path, *arguments], input=source, text=True, check=True)


class World:
    """The files that are asked about."""

    def __init__(self, folder):
        self.folder = folder
        os.chmod(folder, 0o755)
        self.make_libraries()
        self.make_python()
        self.make_packages()
        self.make_environment()
        self.make_windows()

    def __call__(self, *parts):
        return os.path.join(self.folder, *parts)

    def make_libraries(self):
        libs = self("lib")
        compile_c(f"{libs}/libm2.so", "int two(void) { return 2; }", "-shared", "-fPIC", "-Wl,-soname,libm2.so")
        compile_c(f"{libs}/libm1.so", "int two(void); int one(void) { return two(); }", "-shared", "-fPIC",
                  "-Wl,-soname,libm1.so", f"-L{libs}", "-lm2", "-Wl,-rpath,$ORIGIN")
        compile_c(f"{libs}/libundefined.so", "int nowhere(void); int one(void) { return nowhere(); }", "-shared",
                  "-fPIC")
        compile_c(self("app"), "int one(void); int main(void) { return one(); }", f"-L{libs}", "-lm1",
                  "-Wl,-rpath,$ORIGIN/lib", "-Wl,--allow-shlib-undefined")
        compile_c(self("broken"), "int one(void); int main(void) { return one(); }", f"-L{libs}", "-lm1",
                  "-Wl,--allow-shlib-undefined")
        for body in ("int three(void) { return 3; }", "int four(void) { return 4; }"):
            compile_c(f"{libs}/libm3.so", body, "-shared", "-fPIC", "-Wl,-soname,libm3.so")
            if "three" in body:
                compile_c(self("lacking"), "int three(void); int main(void) { return three(); }", f"-L{libs}", "-lm3",
                          "-Wl,-rpath,$ORIGIN/lib", "-Wl,-z,now")
        write(self("empty.so"), "")

    def make_python(self):
        site = self("site")
        write(f"{site}/good/__init__.py", "from . import part\nfrom .part import value\n")
        write(f"{site}/good/part.py", "import json\nvalue = 1\n")
        write(f"{site}/bad/__init__.py", "import good\nimport nosuch_module\n")
        write(f"{site}/handled/__init__.py", "try:\n    import good.part\nexcept ImportError:\n    import nosuch\n")
        write(f"{site}/loads/__init__.py",
              "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libm1.so'))\n")
        for name in ("libm1.so", "libm2.so"):
            shutil.copy(self("lib", name), f"{site}/loads/{name}")
        write(f"{site}/good-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: good\nVersion: 1.0\n")
        write(f"{site}/good-1.0.dist-info/RECORD", "good/__init__.py,,\ngood/part.py,,\n")

    def make_packages(self):
        read = lambda name: open(self("lib", name), "rb").read()  # noqa: E731
        os.makedirs(self("wheels"))
        tag = "cp311-cp311-linux_x86_64.whl"
        write_wheel(self("wheels"), f"whole-1.0-{tag}",
                    {"whole/__init__.py": "import ctypes, os\nctypes.CDLL(os.path.dirname(__file__) + '/libm1.so')\n",
                     "whole/libm1.so": read("libm1.so"), "whole/libm2.so": read("libm2.so")})
        write_wheel(self("wheels"), f"partial-1.0-{tag}",
                    {"partial/__init__.py": "import ctypes, os\nctypes.CDLL(os.path.dirname(__file__) + '/libm1.so')\n",
                     "partial/libm1.so": read("libm1.so")})
        write_wheel(self("wheels"), "plain-1.0-py3-none-manylinux2014_x86_64.whl",
                    {"plain/__init__.py": "import whole\n", "plain/libm2.so": read("libm2.so")})
        write(self("requirements.txt"), "-r more.txt\nwhole==1.0\n")
        write(self("more.txt"), "partial==1.0\n")
        write(self("pylock.toml"), 'lock-version = "1.0"\ncreated-by = "x"\n[[packages]]\nname = "whole"\nversion = '
              f'"1.0"\n[[packages.wheels]]\nname = "whole-1.0-{tag}"\npath = "wheels/whole-1.0-{tag}"\nhashes = {{}}\n')
        write(self("cudald.toml"), 'fail-on = "warning"\n')
        write(self("root/etc/ld.so.conf"), "/opt/lib\n")
        write(self("root/bin/marker"), "")
        shutil.copy(self("app"), self("root/bin/app"))
        os.makedirs(self("root/opt/lib"))
        shutil.copy(self("lib", "libm1.so"), self("root/opt/lib/libm1.so"))
        os.symlink("/opt/lib/libm1.so", self("root/opt/lib/link.so"))
        subprocess.run(["tar", "-C", self("root"), "-cf", self("root.tar"), "bin", "opt", "etc"], check=True)


    def make_environment(self):
        """A virtual environment whose packages are damaged in ways that RECORD, .pth files and METADATA tell."""
        site = self("venv/lib/python3.11/site-packages")
        write(self("venv/pyvenv.cfg"), "home = /usr/bin\ninclude-system-site-packages = false\nversion = 3.11.2\n")
        os.makedirs(self("venv/bin"))
        os.symlink("/usr/bin/python3", self("venv/bin/python3"))
        os.symlink("python3", self("venv/bin/python3.11"))
        for name, lines in {"gone": "gone/__init__.py,,\ngone/part.py,,\ngone/data.so,,\n",
                            "kept": "kept/__init__.py,,\nkept/libm1.so,,\nkept/libm2.so,,\n"}.items():
            write(f"{site}/{name}-1.0.dist-info/RECORD", lines)
            write(f"{site}/{name}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
                  "Requires-Dist: absent>=2\n")
            write(f"{site}/{name}-1.0.dist-info/INSTALLER", "pip\n")
        write(f"{site}/gone/__init__.py", "from . import part\n")
        write(f"{site}/kept/__init__.py",
              "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libm1.so'))\n")
        for name in ("libm1.so", "libm2.so"):
            shutil.copy(self("lib", name), f"{site}/kept/{name}")
        write(f"{site}/more.pth", f"{self('more')}\nimport sys; sys.path.append('{self('late')}')\n")
        write(self("more/beside.py"), "import behind\n")
        write(self("late/behind.py"), "value = 1\n")
        write(self("train.py"),
              "import beside\nfrom helper import value\nif __name__ == '__main__':\n    import kept\n")
        write(self("helper.py"), "import json\nvalue = json\n")
        write(self("fails.py"), "import beside\nfrom helper import nosuch\n")

    def make_windows(self):
        """A copy of a Python for Windows: made DLLs, as far as the search for them asks."""
        for name, imports, exports in (("python.exe", [(b"python311.dll", [b"Py_Main"])], []),
                                       ("python311.dll", [(b"KERNEL32.dll", [b"ExitProcess"])], [b"Py_Main"]),
                                       ("Lib/site-packages/ext/_e.cp311-win_amd64.pyd",
                                        [(b"python311.dll", [b"Py_Main"]), (b"near.dll", [b"f"])], [b"PyInit__e"]),
                                       ("Lib/site-packages/ext/libs/near.dll", [], [b"f"])):
            pe = PeFile()
            if imports:
                pe.imports(imports)
            pe.exports(os.path.basename(name).encode(), [(function, None) for function in exports])
            path = self("win", *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(pe.finish())
        site = self("win/Lib/site-packages")
        write(f"{site}/ext/__init__.py",
              "import os\nos.add_dll_directory(os.path.join(os.path.dirname(__file__), 'libs'))\nfrom . import _e\n")
        write(f"{site}/lone/__init__.py", "from ext import _e\n")


def questions(world):
    """Name, arguments: with `-f json` wherever there is a verdict."""
    tag = "cp311-cp311-linux_x86_64.whl"
    checks = {
        "app": ["./app"], "broken": ["./broken"], "lacking": ["./lacking"], "libm1": ["./lib/libm1.so"],
        "undefined": ["./lib/libundefined.so"], "empty": ["./empty.so"], "absent": ["./none.so"], "ls": ["/bin/ls"],
        "library path": ["./broken", "--env", "LD_LIBRARY_PATH=" + world("lib")],
        "sysroot": ["--sysroot", "root", "/bin/app"], "tar": ["--sysroot", "root.tar", "/bin/app"],
        "gpu": ["--gpu", "sm_90", "./app"],
        "strict": ["--strict", "./app"], "import": ["--prefix", "site", "py:good"],
        "failing import": ["--prefix", "site", "py:bad"], "handled import": ["--prefix", "site", "py:handled"],
        "loading import": ["--prefix", "site", "py:loads"], "system import": ["--prefix", "/usr", "py:json"],
        "wheel": ["wheels/whole-1.0-" + tag], "partial wheel": ["wheels/partial-1.0-" + tag],
        "wheel here": ["--host", "here", "wheels/whole-1.0-" + tag],
        "tagged wheel": ["wheels/plain-1.0-py3-none-manylinux2014_x86_64.whl"],
        "wheel in prefix": ["--prefix", "site", "wheels/whole-1.0-" + tag],
        "wheels together": ["--together", "wheels/whole-1.0-" + tag, "wheels/partial-1.0-" + tag],
        "pylock": ["pylock.toml"], "requirements": ["--wheels", "wheels", "requirements.txt"],
        "no cache": ["--no-cache", "wheels/whole-1.0-" + tag], "two threads": ["-j2", "./app", "./broken"],
        "folder": ["lib/"], "driver": ["--driver", "550.54", "./app"],
        "script": ["--prefix", "venv", "train.py"], "failing script": ["--prefix", "venv", "fails.py"],
        "environment": ["./venv"], "damaged package": ["--prefix", "venv", "gone"],
        "whole package": ["--prefix", "venv", "kept"], "pth": ["--prefix", "venv", "py:beside"],
        "Windows import": ["--prefix", "win", "py:ext"], "Windows failing import": ["--prefix", "win", "py:nosuch"],
        "Windows other import": ["--prefix", "win", "py:lone"],
    }
    for name, words in checks.items():
        yield f"check {name}", ["check", "-f", "ndjson", *([] if "-j2" in words else ["-j1"]), *words]
    yield "explain", ["explain", "-f", "json", "-j1", "--bindings", "./app"]
    message = "ImportError: libm2.so: cannot open shared object file: No such file or directory"
    yield "message", ["explain", "-f", "json", "-j1", "--error", message, "./app"]
    yield "message of a package", ["explain", "-f", "json", "-j1", "--error", message, "--prefix", "venv", "kept"]
    yield "message about a file", ["explain", "-f", "json", "-j1", "--error",
                                   f"OSError: {world('lib/libundefined.so')}: undefined symbol: nowhere", "./app"]
    yield "message alone", ["explain", "-f", "json", "-j1", "--error",
                            f"ImportError: {world('lib/libundefined.so')}: undefined symbol: nowhere"]
    yield "traceback", ["explain", "-f", "json", "-j1", "--prefix", "venv", "--error",
                        f'  File "{world("train.py")}", line 1, in <module>\n    import gone\n'
                        "ModuleNotFoundError: No module named 'gone.part'", "gone"]
    yield "repair", ["repair", "-f", "json", "-o", "{state}.so", "./broken"]
    yield "repair of a wheel", ["repair", "-f", "json", "-w", "{state}", "wheels/partial-1.0-" + tag]
    yield "why", ["why", "./app", "libm2.so"]
    yield "tree", ["tree", "-f", "json", "./broken"]
    yield "installed import", ["check", "-f", "json", "-j1", "--prefix", "/usr", "--python", "3.11", "py:ctypes"]
    yield "show", ["show", "-f", "json", "./lib/libm1.so"]
    yield "show wheel", ["show", "-f", "json", "wheels/whole-1.0-" + tag]
    yield "env", ["env", "-f", "json", "--prefix", "site"]
    yield "diff", ["diff", "root", "site"]
    yield "provides", ["provides", "libcudart.so.12"]
    yield "scan", ["scan", "lib", "wheels", "--state", "{state}", "-j1"]
    yield "output", ["check", "-f", "json", "-j1", "-o", "{state}.json", "./app"]


class Asker:
    def __init__(self, cudald, world, refuse_call):
        self.cudald, self.world, self.refuse_call = os.path.abspath(cudald), world, refuse_call
        self.numbers = 0

    def ask(self, words, calls="openat", when=0, error=0):
        """The exit status, what was written, and how many of these calls there were."""
        self.numbers += 1
        state = self.world(f"state{self.numbers}")
        cache = self.world(f"cache{self.numbers}")
        environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", "XDG_CACHE_HOME": cache}
        counted, written = os.pipe()
        os.set_inheritable(written, True)
        shell = f'exec "$@" 3>&{written}'
        process = subprocess.Popen(
            ["/bin/sh", "-c", shell, "sh", self.refuse_call, calls, str(when), str(error), self.cudald,
             *[word.replace("{state}", state) for word in words]],
            cwd=self.world.folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, pass_fds=[written])
        os.close(written)
        try:
            out, complaints = process.communicate(timeout=LIMIT)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, complaints = process.communicate()
            status = "no end"
        with os.fdopen(counted) as counts:
            count = counts.read().strip()
        made = ""
        if os.path.exists(state + ".json"):
            with open(state + ".json", encoding="utf-8") as file:
                made = file.read()
            os.unlink(state + ".json")
        shutil.rmtree(state, ignore_errors=True)
        shutil.rmtree(cache, ignore_errors=True)
        text = (out.decode(errors="replace") + made).replace(state, "STATE").replace(cache, "CACHE")
        return status, text, complaints.decode(errors="replace"), int(count or 0)


def verdicts(text):
    """Of all documents of an answer; of text that is none, the words in capitals that are verdicts."""
    found = []
    for line in text.splitlines() if text.count("\n{") else [text]:
        try:
            found.append(json.loads(line).get("verdict"))
        except (ValueError, AttributeError):
            found += [word.strip(":,.").lower() for word in line.split()
                      if word.strip(":,.") in ("LOADS", "FAILS", "RISK", "UNKNOWN")]
    return [verdict for verdict in found if verdict]


def kind_of(base, got):
    """What an answer is, held against the undisturbed one; one that is wrong begins with "wrong"."""
    status, text, complaints, _ = got
    if status == "no end" or (isinstance(status, int) and status > 128):
        return f"wrong: {status}"
    if status == base[0]:
        if text == base[1]:
            return "the same"
        if verdicts(text) == verdicts(base[1]):
            return "the same verdict"
        if status != 3:
            return "wrong: another answer"
    if status == 3:
        others = [verdict for verdict in verdicts(text) if verdict != "unknown" and verdict not in verdicts(base[1])]
        return "wrong: status 3 and a verdict" if others else "unknown"
    if status == 127 and "error while loading shared libraries" in complaints:
        return "not started"
    if status in (2, 4, 127) and complaints.strip():
        return f"refused with words ({status})"
    return f"wrong: status {status}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--runs", type=int, default=250)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--part")
    parser.add_argument("--only", default="*")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        refuse_call = os.path.join(folder, "refuse_call")
        subprocess.run(["cc", "-o", refuse_call, os.path.join(HERE, "refuse_call.c")], check=True)
        asker = Asker(options.cudald, World(os.path.join(folder, "world") if not os.mkdir(os.path.join(folder, "world"))
                                            else ""), refuse_call)
        if asker.ask(["--version"])[0] == 125:
            tap.skip("refused calls", "this kernel or container does not let a process answer calls of another one")
            return tap.finish()
        # The loader's own calls come first: what it does without them is not up to the program.
        begin = {kind: 1 if kind == "write" else asker.ask(["--version"], calls)[3] + 1
                 for kind, (calls, _) in KINDS.items()}
        cases, bases = [], {}
        for name, words in questions(asker.world):
            if not fnmatch.fnmatch(name, options.only):
                continue
            bases[name] = (words, asker.ask(words))
            for kind, (calls, errors) in KINDS.items():
                count = asker.ask(words, calls)[3]
                cases += [(name, kind, when, error) for when in range(begin[kind], count + 1) for error in errors]
        if options.table:
            tap.comment(f"{len(bases)} questions make {len(cases)} calls that can be refused")
        if options.part:
            part, parts = map(int, options.part.split("/"))
            cases = cases[part - 1::parts]
        elif not options.all:
            # Each question and kind comes as often: most calls are those of a few.
            groups = collections.defaultdict(list)
            for case in random.Random(options.seed).sample(cases, len(cases)):
                groups[case[:2]].append(case)
            cases = []
            while len(cases) < options.runs and any(groups.values()):
                cases += [group.pop() for group in groups.values() if group]
            cases = cases[:options.runs]
        table, wrong = collections.Counter(), collections.defaultdict(list)
        for name, kind, when, error in cases:
            words, base = bases[name]
            got = asker.ask(words, KINDS[kind][0], when, error)
            answer = kind_of(base, got)
            table[kind, answer] += 1
            if answer.startswith("wrong"):
                wrong[name].append(f"{kind} {when} {errno.errorcode[error]}: {answer}; {verdicts(base[1])} became "
                                   f"{verdicts(got[1])}, status {base[0]} became {got[0]}; {got[2][:200]}")
    for name in bases:
        tap.ok(not wrong[name], f"{name}: what is not read is not claimed", first(wrong[name], 8))
    if options.table:
        for (kind, answer), count in sorted(table.items()):
            tap.comment(f"{kind:8} {answer:32} {count}")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
