#!/usr/bin/env python3
"""Asks cudald about names that are commands of a shell, and pastes what it proposes.

    pasted_commands.py CUDALD

Names of needed libraries, files, directories, packages, modules and variables hold a command, in each way that a shell
would run it if the name stood in a command line as it is. All commands of the fixes, and those behind "Next:", are
given to a restricted shell without programs: none of them may run that command, or be more than one can read. Output
is TAP.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from elf_writer import write_elf  # noqa: E402
from pe_writer import PeFile  # noqa: E402
from tap import Tap, first  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

NAMES = ["a$(ran)b", "a`ran`b", "a';ran;'b", 'a";ran;"b', "a\nran\nb", "a;ran;b", "a|ran|b", "a&ran&b", "a b$(ran)",
         "--x=$(ran)", "a#b;ran", "\x1b[31m;ran;", "\u202e$(ran)", "a\\';ran;\\'", "a)ran(", "a>ran", "a\r\nran",
         "a+b;ran"]
# What is found by name in a text: a message, an error, a lock.
MESSAGES = ["ImportError: {}: cannot open shared object file: No such file or directory",
            "ModuleNotFoundError: No module named '{}'", "ImportError: cannot import name '{0}' from '{0}' ({0})",
            "OSError: /x/{0}.so: undefined symbol: {0}", "version `{0}' not found (required by {0})"]
SOURCES = {
    "import": "import importlib\nimportlib.import_module({!r})\n", "raise": "raise ImportError({!r})\n",
    "dlopen": "import ctypes\nctypes.CDLL({!r})\n", "variable": "import os\nos.environ[{!r}]\n",
    "version": "import importlib.metadata\nimportlib.metadata.version({!r})\n", "open": "open({!r})\n",
    "pip": "raise ImportError('pip install ' + {!r})\n",
}
METADATA = "Metadata-Version: 2.1\nName: {0}\nVersion: {0}\nRequires-Dist: {0}\nRequires-Dist: torch=={0}\n"


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)


class Asker:
    def __init__(self, cudald, folder):
        self.cudald, self.folder, self.commands = os.path.abspath(cudald), folder, {}

    def ask(self, about, *words):
        """Keeps the commands of an answer, as JSON and as text."""
        for form in ("json", "text"):
            run = subprocess.run([self.cudald, "explain", "-f", form, *words], cwd=self.folder, capture_output=True,
                                 stdin=subprocess.DEVNULL, timeout=120, check=False,
                                 env={"PATH": "/usr/bin:/bin", "HOME": self.folder, "LC_ALL": "C.UTF-8"})
            if run.returncode == 2:
                return
            if form == "json":
                found = list(commands_in(json.loads(run.stdout)))
            else:
                found = [line.split("Next: ", 1)[1] for line in run.stdout.decode().splitlines() if "Next: " in line]
            for command in found:
                self.commands.setdefault(command, about)


def commands_in(value):
    if isinstance(value, dict):
        for key, item in value.items():
            if key == "command" and isinstance(item, str):
                yield item
            else:
                yield from commands_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from commands_in(item)


def ask_about_libraries(asker, name):
    folder = asker.folder
    write_elf(f"{folder}/main", program=True, needed=[name])
    asker.ask("a needed library", "./main")
    os.makedirs(f"{folder}/{name}/lib", exist_ok=True)
    write_elf(f"{folder}/{name}/main", program=True, needed=["libfoo.so.1"])
    write_elf(f"{folder}/{name}/lib/libfoo.so.1", soname="libfoo.so.1")
    asker.ask("a directory", f"{folder}/{name}/main")
    write_elf(f"{folder}/{name}/{name}.so", needed=["libfoo.so.1", "libnone.so.1"], runpath="/home/builder/x")
    asker.ask("a library", f"{folder}/{name}/{name}.so")
    pe = PeFile()
    pe.imports([(name.encode(), [b"f"]), (b"msvcp140.dll", [b"g"])])
    with open(f"{folder}/{name}/x.exe", "wb") as file:
        file.write(pe.finish())
    asker.ask("a DLL", f"{folder}/{name}/x.exe")


def ask_about_packages(asker, name):
    folder = asker.folder
    for about, source in SOURCES.items():
        write(f"{folder}/site/{about}_.py", source.format(name))
        asker.ask(f"a module that has it for {about}", "--prefix", "site", f"py:{about}_")
    prefix = f"{folder}/{name}-env"
    site = f"{prefix}/lib/python3.11/site-packages"
    write(f"{prefix}/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n")
    for package in ("pk", "pk2", "pk3"):
        write(f"{site}/{package}/__init__.py", "from . import part\n")
    write(f"{site}/{name}-1.0.dist-info/METADATA", METADATA.format(name))
    write(f"{site}/{name}-1.0.dist-info/RECORD", f'pk/__init__.py,,\npk/part.py,,\n"{name}",,\n')
    write(f"{site}/{name}-1.0.dist-info/direct_url.json",
          json.dumps({"url": f"file:///{name}", "dir_info": {"editable": True}}))
    write(f"{site}/pk2-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: pk2\nVersion: 1.0;{name}\n")
    write(f"{site}/pk2-1.0.dist-info/RECORD", "pk2/__init__.py,,\npk2/part.so,,\n")
    write(f"{prefix}/conda-meta/x-1.0-0.json", json.dumps(
        {"name": name, "version": name, "build": name, "channel": name, "depends": [name],
         "files": ["lib/python3.11/site-packages/pk3/__init__.py", "lib/python3.11/site-packages/pk3/part.py"]}))
    write(f"{site}/cuda.py", "import ctypes\nctypes.CDLL('libcudart.so.12')\n")
    for module in ("pk", "pk2", "pk3", "cuda", "torch"):
        asker.ask("an environment", "--prefix", prefix, f"py:{module}")
    write(f"{folder}/{name}.py", "import torch\n")
    asker.ask("a script", "--prefix", prefix, f"./{name}.py")
    write_elf(f"{folder}/e.so", needed=["libcublas.so.12", name])
    with open(f"{folder}/e.so", "rb") as file:
        library = file.read()
    lines = "".join(f"Requires-Dist: {line}\n" for line in (name, f"torch=={name}"))
    wheel = write_wheel(folder, "wl-1.0-cp311-cp311-linux_x86_64.whl",
                        {"wl/__init__.py": "from . import e\n", "wl/e.cpython-311-x86_64-linux-gnu.so": library,
                         f"wl/{name}.so": library}, metadata=lines)
    asker.ask("a wheel", wheel)
    for message in MESSAGES:
        asker.ask("a message", "--error", message.format(name))
        asker.ask("a message about a package", "--error", message.format(name), "--prefix", prefix, "py:pk")


def faults_of(command):
    """What is wrong with a command that was pasted."""
    if any((ord(c) < 32 and c != "\n") or c in "\x7f\u202e" for c in command):
        return "a character that the terminal obeys"
    run = subprocess.run(["/bin/bash", "-r", "-c", "ran() { echo it ran >&2; }\n" + command], env={"PATH": "/none"},
                         stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=False)
    said = run.stderr.decode(errors="replace")
    # A restricted shell refuses to redirect, and says where to.
    ran = any(line == "it ran" or "ran: restricted" in line for line in said.splitlines())
    return "it runs what the name says" if ran else "it is cut" if "unexpected EOF" in said else ""


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tap = Tap()
    proposed = 0
    for name in NAMES:
        with tempfile.TemporaryDirectory() as folder:
            asker = Asker(sys.argv[1], os.path.realpath(folder))
            ask_about_libraries(asker, name)
            ask_about_packages(asker, name)
            faults = [f"{about}: {command!r}: {fault}" for command, about in asker.commands.items()
                      if (fault := faults_of(command))]
            tap.ok(not faults, f"no command runs {name!r}", first(faults, 8))
            proposed += sum(name in command or "ran" in command for command in asker.commands)
    tap.ok(proposed > 100, f"{proposed} commands have a name of these in them")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
