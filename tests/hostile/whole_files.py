"""Hostile inputs that are no library at all, or only a part of one."""

import os
import socket
import struct

import elf_file as E
from case import Case, Question, bytes_case, write
from elf_writer import write_elf
from samples import POINTERS, Edit


def cut_short(samples):
    data = samples.library_bytes
    elf = E.ElfFile(samples.library)
    headers_end = elf.phoff + elf.phnum * elf.phentsize
    places = {
        "the magic": 3,
        "e_ident": 15,
        "e_phoff": 36,
        "the ELF header": 63,
        "the program headers": headers_end - 1,
    }
    for name, tag in POINTERS.items():
        places["the table of " + name] = elf.file_offset(elf.value(tag)) + 5
    places["the dynamic section"] = elf.segment(E.PT_DYNAMIC)["fileoff"] + 24
    places["the last byte"] = len(data) - 1
    for name, size in places.items():
        yield bytes_case(samples, f"cut short in {name}", data[:size], one_line=size < 64)
    for size in (0, 1, 4, 16, 64, headers_end, elf.segment(E.PT_DYNAMIC)["fileoff"], 4096):
        yield bytes_case(samples, f"cut to {size} bytes", data[:size], one_line=size < 64)


def filled(samples):
    data = samples.library_bytes
    yield bytes_case(samples, "all bytes zero", bytes(len(data)), one_line=True)
    yield bytes_case(samples, "all bytes 0xff", b"\xff" * len(data), one_line=True)
    yield bytes_case(samples, "text", b"This is no library.\n" * 100, one_line=True)
    yield bytes_case(
        samples, "a linker script", b"/* GNU ld script */\nGROUP ( libx.so )\n".ljust(80), one_line=True
    )
    yield bytes_case(
        samples, "a Git LFS pointer", b"version https://git-lfs.github.com/spec/v1\n", one_line=True
    )
    yield bytes_case(samples, "a shell script", b"#!/bin/sh\nexec true\n" * 5, one_line=True)
    yield bytes_case(samples, "ELF magic and zeros", b"\x7fELF" + bytes(1000))
    yield bytes_case(samples, "ELF magic and 0xff", b"\x7fELF" + b"\xff" * 1000)
    yield bytes_case(samples, "a header and zeros", data[:64] + bytes(len(data) - 64))
    yield bytes_case(samples, "a header and 0xff", data[:64] + b"\xff" * (len(data) - 64))
    yield bytes_case(samples, "twice the same file", data + data)
    yield bytes_case(samples, "MZ", b"MZ" + bytes(1000))
    mz = b"MZ" + bytes(58) + struct.pack("<I", 0x7FFFFFFF)
    yield bytes_case(samples, "MZ and a PE header nowhere", mz + bytes(1000))
    pe = b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + b"\xff" * 1000
    yield bytes_case(samples, "PE and 0xff", pe)


def special_files(samples):
    def place(make):
        def build(folder):
            make(os.path.join(folder, "libbad.so"))
            write(os.path.join(folder, "main"), samples.program_bytes)
            return [Question([os.path.join(folder, "libbad.so")]), Question([os.path.join(folder, "main")])]

        return build

    def unix_socket(path):
        # The path of a socket may have no more than 107 bytes, so bind it from its own folder.
        here = os.getcwd()
        os.chdir(os.path.dirname(path))
        try:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(os.path.basename(path))
        finally:
            os.chdir(here)

    def sparse(path, head):
        write(path, head)
        os.truncate(path, 1 << 40)

    def unreadable(folder):
        library, program = os.path.join(folder, "libbad.so"), os.path.join(folder, "main")
        write(library, samples.library_bytes)
        write(program, samples.program_bytes)
        os.chmod(library, 0)
        return [Question([library], as_nobody=True), Question([program], as_nobody=True)]

    def unreadable_folder(folder):
        inner = os.path.join(folder, "inner")
        os.mkdir(inner)
        write(os.path.join(inner, "libbad.so"), samples.library_bytes)
        write_elf(os.path.join(folder, "main"), program=True, needed=["libbad.so"], runpath="$ORIGIN/inner")
        os.chmod(inner, 0)
        return [
            Question([os.path.join(inner, "libbad.so")], as_nobody=True),
            Question([os.path.join(folder, "main")], as_nobody=True),
        ]

    def deep(path):
        link = path
        for i in range(60):
            os.symlink(f"{path}.{i}", link)
            link = f"{path}.{i}"
        write(link, samples.library_bytes)

    yield Case("a folder", place(os.mkdir), one_line=True)
    yield Case("a FIFO", place(os.mkfifo), one_line=True)
    yield Case("a unix socket", place(unix_socket), one_line=True)
    # Not /proc/kmsg: who reads it next finds it empty.
    for device in ("/dev/zero", "/dev/null", "/dev/tty", "/dev/stdin", "/proc/self/mem"):
        yield Case(f"a symlink to {device}", place(lambda path, d=device: os.symlink(d, path)), one_line=True)
    yield Case("a symlink to itself", place(lambda path: os.symlink("libbad.so", path)), one_line=True)
    yield Case("a symlink to nothing", place(lambda path: os.symlink("nowhere", path)), one_line=True)
    yield Case("60 symlinks in a row", place(deep), one_line=True)
    yield Case("a file of 1 TB, all zero", place(lambda path: sparse(path, b"")), one_line=True)
    yield Case("a library of 1 TB", place(lambda path: sparse(path, samples.library_bytes)))
    yield Case(
        "a library of 1 TB with its tables at the end", place(lambda path: tables_at_the_end(path, samples))
    )
    yield Case("an unreadable file", unreadable, one_line=True)
    yield Case("an unreadable folder", unreadable_folder, one_line=True)


def tables_at_the_end(path, samples):
    """The dynamic section claims a terabyte, and the segment says so, too."""
    edit = Edit(samples.library)
    edit.segment(edit.segments(E.PT_DYNAMIC)[0], filesz=1 << 39, memsz=1 << 39)
    edit.segment(edit.segments(E.PT_LOAD)[-1], filesz=1 << 39, memsz=1 << 39)
    edit.dynamic(E.DT_STRSZ, 1 << 39)
    write(path, edit.bytes())
    os.truncate(path, 1 << 40)
