"""Makes what speed is measured on: the same bytes for the same numbers, on every machine with the same compiler."""

import os
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from elf_writer import write_elf  # noqa: E402

DAY = (2026, 1, 1, 0, 0, 0)


def libraries(folder, count):
    """A program in whose process `count` libraries come, each of which needs three others."""
    names = [f"libmade{number}.so" for number in range(count)]
    for number, name in enumerate(names):
        needed = [names[other] for other in (2 * number + 1, 2 * number + 2, number + 1) if other < count]
        write_elf(os.path.join(folder, "lib", name), soname=name, needed=needed, runpath="$ORIGIN")
    program = os.path.join(folder, "program")
    write_elf(program, program=True, needed=names[:1], runpath="$ORIGIN/none:$ORIGIN/lib")
    return program


def symbols(folder, count):
    """A library that uses `count` functions of another one."""
    os.makedirs(folder, exist_ok=True)
    names = [f"made_function_{number:07}" for number in range(count)]
    parts = {
        "used": "".join(f".globl {name}\n.type {name}, @function\n{name}: ret\n" for name in names),
        "user": ".data\n" + "".join(f".quad {name}\n" for name in names),
    }
    for part, text in parts.items():
        with open(os.path.join(folder, f"{part}.s"), "w", encoding="ascii") as file:
            file.write(text + '.section .note.GNU-stack,"",@progbits\n')
        needs = ["-L.", "-Wl,-rpath,$ORIGIN", "-lused"] if part == "user" else []
        subprocess.run(["gcc", "-shared", "-nostdlib", "-Wl,--build-id=none", f"-Wl,-soname,lib{part}.so",
                        "-o", f"lib{part}.so", f"{part}.s", *needs], cwd=folder, check=True)
    return os.path.join(folder, "libuser.so")


MODULE = '''"""One of many modules that were made."""

import {package}.module{next}
from . import module{next} as other

names = {{key: len(key) for key in ("one", "two", "three")}}


class Made{number}(object):
    """It has what classes have."""

    limit = {number}

    def __init__(self, value, *rest, **named):
        self.value = value if value is not None else self.limit
        self.rest = [part for part in rest if part]
        self.named = dict(named, limit=self.limit)

    def text(self):
        if not self.rest:
            return f"{{self.value}} of {{self.limit:>10}}"
        try:
            return ", ".join(str(part) for part in self.rest)
        except (TypeError, ValueError) as error:
            raise RuntimeError("no text") from error


def function{number}(first, second=None):
    total = 0
    for number in range(first):
        while total < number and second:
            total += number * 2 - 1
    return Made{number}(total, first, second)


value = function{number}
'''


def package(site, count):
    """A package of Python of so many modules, nine of ten of which import the next. Returns its name."""
    folder = os.path.join(site, "made")
    os.makedirs(folder)
    chain = 10
    for number in range(count):
        last = (number + 1) % chain == 0 or number + 1 == count
        text = "last = True\n" if last else MODULE.format(package="made", number=number, next=number + 1)
        with open(os.path.join(folder, f"module{number}.py"), "w", encoding="ascii") as file:
            file.write(text)
    with open(os.path.join(folder, "__init__.py"), "w", encoding="ascii") as file:
        file.writelines(f"from made import module{number}\n" for number in range(0, count, chain))
    return "made"


CORE = '''def step{number}(value):
    global state
    state = value
    return step{next}(value), step{other}, table, names{number}


names{number} = [step{number}]
'''

PART = '''from framework import _C, core


class Part{number}:
    @_C.register
    def run(self, value):
        return core.step{number}(value), Part{number}, helper{number}

    @_C.register
    def other(self):
        return core.names{number}


def helper{number}(value):
    return Part{number}, core


_C.install(core.step{number}, Part{number}, helper{number})
'''


def framework(site, count):
    """A package of so many modules that give functions to compiled code, as frameworks do: each function mentions
    others, so that what that code may change is nearly everything. Returns its name."""
    folder = os.path.join(site, "framework")
    os.makedirs(folder)
    subprocess.run(["gcc", "-shared", "-nostdlib", "-Wl,--build-id=none", "-o", "_C.abi3.so", "-x", "c", "-"],
                   cwd=folder, input=b"void *PyInit__C(void) { return 0; }", check=True)
    with open(os.path.join(folder, "core.py"), "w", encoding="ascii") as file:
        file.write("state = None\ntable = {}\n\n\n")
        for number in range(count):
            file.write(CORE.format(number=number, next=(number + 1) % count, other=(7 * number + 3) % count))
    for number in range(count):
        with open(os.path.join(folder, f"part{number}.py"), "w", encoding="ascii") as file:
            file.write(PART.format(number=number))
    with open(os.path.join(folder, "__init__.py"), "w", encoding="ascii") as file:
        file.writelines(f"from framework import part{number}\n" for number in range(count))
    return "framework"


def wheel(folder, number, libraries_in_it, texts):
    """A wheel that lists all its members, as wheels do."""
    os.makedirs(folder, exist_ok=True)
    members = {}
    for library in range(libraries_in_it):
        name = f"libmade{library}.so"
        path = os.path.join(folder, name)
        write_elf(path, soname=name, needed=[f"libmade{library + 1}.so"] if library + 1 < libraries_in_it else [],
                  runpath="$ORIGIN")
        with open(path, "rb") as file:
            members[f"made{number}/{name}"] = file.read()
        os.remove(path)
    for text in range(texts):
        members[f"made{number}/text{text}.py"] = MODULE.format(package="made", number=text, next=text).encode()
    info = f"made{number}-1.0.dist-info/"
    members[info + "METADATA"] = f"Metadata-Version: 2.1\nName: made{number}\nVersion: 1.0\n".encode()
    members[info + "WHEEL"] = (b"Wheel-Version: 1.0\nGenerator: made\nRoot-Is-Purelib: false\n"
                               b"Tag: py3-none-manylinux_2_17_x86_64\n")
    members[info + "RECORD"] = "".join(f"{name},,\n" for name in members).encode()
    path = os.path.join(folder, f"made{number}-1.0-py3-none-manylinux_2_17_x86_64.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, DAY), data, zipfile.ZIP_DEFLATED)
    return path
