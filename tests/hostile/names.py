"""Hostile names in well-formed files, and hostile sets of such files."""

import os

from case import Case, Question, elf_case
from elf_writer import write_elf

ODD_NAMES = {
    "an escape sequence": b"lib\x1b[31;1mred\x1b]0;title\x07.so",
    "a newline": b"libfirst.so\nerror[CUD101] forged line",
    "a carriage return": b"libfirst.so\rLOADS",
    "bytes that are not UTF-8": b"lib\xff\xfe\xc0\x80\xed\xa0\x80.so",
    "a right-to-left override": "lib\u202egnp.so".encode(),
    "C1 control characters": "lib\x9b31mred.so".encode(),
    "quotes and backslashes": b"lib\"\\',<script>&amp;.so",
    "format directives": b"lib%s%n%n%n{}{0:>999999999}.so",
    "markup of GitHub": b"::error file=x::lib\r\n.so",
    "nothing": b"",
    "a slash alone": b"/",
    "dots": b"..",
    "a folder": b"/etc",
    "a path upwards": b"../" * 200 + b"etc/passwd",
    "a name of 255 bytes": b"l" * 255,
    "a name of 5,000 bytes": b"l" * 5000,
    "a path of 5,000 bytes": b"/" + b"l/" * 2500,
    "a name of 1 MB": b"l" * (1 << 20),
    "a path of 1 MB": b"/" + b"l/" * (1 << 19),
    "a token without end": b"${ORIGIN",
    "100,000 tokens": b"$ORIGIN" * 100_000,
    "an archive member": b"x.whl!/libx.so",
    "a device": b"/dev/zero",
    "standard input": b"-",
    "an option": b"--help",
}


def names(samples):
    for what, name in ODD_NAMES.items():
        yield elf_case(f"it needs {what}", needed=[name])
        yield elf_case(f"its soname is {what}", soname=name)
        yield elf_case(f"its runpath is {what}", runpath=name, needed=["libnowhere.so"])
        yield elf_case(f"its rpath is {what}", rpath=name, needed=["libnowhere.so"])
    yield elf_case("it needs 100,000 libraries", needed=[f"lib{i}.so" for i in range(100_000)])
    yield elf_case("it needs one library 100,000 times", needed=["libnowhere.so"] * 100_000)
    yield elf_case(
        "its runpath has 100,000 folders",
        runpath=":".join(f"/d{i}" for i in range(100_000)),
        needed=["libx.so"],
    )
    thousand = [f"lib{i}.so" for i in range(1000)]
    runpath = ":".join(f"/d{i}" for i in range(1000))
    yield elf_case(
        "it needs 1,000 libraries, and its runpath has 1,000 folders", needed=thousand, runpath=runpath
    )
    yield elf_case("its runpath is 1 MB of colons", runpath=":" * (1 << 20), needed=["libx.so"])
    yield elf_case("it filters 10,000 libraries", filters=[f"lib{i}.so" for i in range(10_000)])
    yield elf_case("it needs itself", needed=["libbad.so"], soname="libbad.so")
    for what, name in ODD_NAMES.items():
        if b"/" not in name and 0 < len(name) <= 255 and name != b"..":
            yield odd_file_name(what, name)
    yield Case(
        "its interpreter has an escape sequence",
        lambda folder: _one_program(folder, interp=b"/lib/\x1b[31mld.so"),
    )
    yield Case(
        "its interpreter is itself", lambda folder: _one_program(folder, interp=os.path.join(folder, "main"))
    )
    yield Case("its interpreter is 1 MB", lambda folder: _one_program(folder, interp=b"/" * (1 << 20)))


def odd_file_name(what, name):
    def build(folder):
        library, program = os.path.join(os.fsencode(folder), name), os.path.join(folder, "main")
        write_elf(library, soname=name, needed=["libnowhere.so"])
        write_elf(program, program=True, needed=[name], runpath="$ORIGIN")
        return [Question([os.fsdecode(library)]), Question([program])]

    return Case(f"its file name is {what}", build)


def _one_program(folder, **content):
    write_elf(os.path.join(folder, "main"), program=True, needed=["libc.so.6"], **content)
    return [Question([os.path.join(folder, "main")])]


def graphs(samples):
    def chain(folder):
        for i in range(3000):
            write_elf(os.path.join(folder, f"lib{i}.so"), needed=[f"lib{i + 1}.so"], runpath="$ORIGIN")
        write_elf(os.path.join(folder, "main"), program=True, needed=["lib0.so"], runpath="$ORIGIN")
        return [Question([os.path.join(folder, "lib0.so")]), Question([os.path.join(folder, "main")])]

    def mesh(folder):
        names = [f"lib{i}.so" for i in range(150)]
        for name in names:
            write_elf(os.path.join(folder, name), needed=names, runpath="$ORIGIN")
        return [Question([os.path.join(folder, names[0])])]

    def ring(folder):
        for i in range(500):
            write_elf(
                os.path.join(folder, f"lib{i}.so"), needed=[f"lib{(i + 1) % 500}.so"], runpath="$ORIGIN"
            )
        return [Question([os.path.join(folder, "lib0.so")])]

    def long_rpath_chain(folder):
        # Each ancestor's RPATH is searched for each descendant: probes grow with the square of the depth.
        for i in range(200):
            rpath = f"$ORIGIN/nowhere{i}:$ORIGIN"
            write_elf(os.path.join(folder, f"lib{i}.so"), needed=[f"lib{i + 1}.so"], rpath=rpath)
        return [Question([os.path.join(folder, "lib0.so")])]

    def itself_by_other_names(folder):
        needed = [
            "libbad.so",
            "./libbad.so",
            "$ORIGIN/libbad.so",
            "link.so",
            "hard.so",
            "../" + os.path.basename(folder) + "/libbad.so",
        ]
        path = os.path.join(folder, "libbad.so")
        write_elf(path, needed=needed, runpath="$ORIGIN")
        os.symlink("libbad.so", os.path.join(folder, "link.so"))
        os.link(path, os.path.join(folder, "hard.so"))
        return [Question([path])]

    def many_targets(folder):
        paths = [os.path.join(folder, f"lib{i}.so") for i in range(500)]
        for path in paths:
            write_elf(path, needed=["libnowhere.so"])
        return [Question(paths), Question([paths[0]] * 500)]

    yield Case("a chain of 3,000 libraries", chain)
    yield Case("150 libraries that all need each other", mesh)
    yield Case("a ring of 500 libraries", ring)
    yield Case("a chain of 200 libraries, each with an RPATH", long_rpath_chain)
    yield Case("a library that needs itself by six names", itself_by_other_names)
    yield Case("500 targets", many_targets)
