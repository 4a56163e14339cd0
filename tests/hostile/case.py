"""What a hostile case is, and the usual ways to build one."""

import os
from dataclasses import dataclass, field

from elf_writer import write_elf


@dataclass
class Question:
    """One process to ask cudald about."""

    targets: list
    options: list = field(default_factory=list)
    env: dict = field(default_factory=dict)
    as_nobody: bool = False
    real: bool = False  # the real loader may be asked about it, too


@dataclass
class Case:
    name: str
    build: object  # (folder) -> list of Question
    one_line: bool = False  # nothing but one clear line can be said about the first target


def bytes_case(samples, name, data, one_line=False):
    """`data` as a target, and as the library of a healthy program."""

    def build(folder):
        library, program = os.path.join(folder, "libbad.so"), os.path.join(folder, "main")
        write(library, data)
        write(program, samples.program_bytes)
        return [Question([library]), Question([program], real=True)]

    return Case(name, build, one_line)


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, 0o755)


def program_case(samples, name, edit):
    def build(folder):
        write(os.path.join(folder, "libbad.so"), samples.library_bytes)
        write(os.path.join(folder, "main"), edit.bytes())
        return [Question([os.path.join(folder, "main")])]

    return Case(name, build)


def elf_case(name, **content):
    """A library of the writer as a target, and in a small program."""

    def build(folder):
        library, program = os.path.join(folder, "libbad.so"), os.path.join(folder, "main")
        write_elf(library, **content)
        write_elf(program, program=True, needed=["libbad.so"], runpath="$ORIGIN")
        return [Question([library]), Question([program])]

    return Case(name, build)
