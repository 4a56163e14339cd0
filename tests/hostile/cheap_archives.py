#!/usr/bin/env python3
"""Archives, packages and trees of few bytes that ask for much reading, memory or comparing."""

import functools
import gzip
import json
import os
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "archive"))

from cheap import Asked, CheapCase, run  # noqa: E402
from elf_writer import elf_bytes  # noqa: E402
from zip_writer import DEFLATED, Member, Wheel  # noqa: E402

MIB = 1 << 20
LIMIT = ("CUD902",)
NOTHING = ()  # it is read to its end, and nothing is wrong with it

CASES = []


def judged(name):
    """That an object of that file is in the report."""

    def missing(document):
        paths = [object_["path"] for object_ in document["objects"]]
        return None if any(path.endswith(name) for path in paths) else f"no {name} among {paths[:8]}"

    return missing


def case(name, told, stands, about="", status=(0, 1, 3)):
    """A question whose report must have a finding of `told`, and the rest."""

    def add(build):
        def ask(folder):
            return [Asked(["-f", "json", *build(folder)], told, about, stands=judged(stands), status=status)]

        CASES.append(CheapCase(name, ask))

    return add


def refused(name, said):
    """A tree that cannot be opened: one line, and the exit status of a question that cannot be asked."""

    def add(build):
        CASES.append(CheapCase(name, lambda folder: [Asked(build(folder), said=said, status=(2,))]))

    return add


def survey(name):
    def add(build):
        CASES.append(CheapCase(name, lambda folder: [Asked(["env", *build(folder)], status=(0,))]))

    return add


# --- building -----------------------------------------------------------------------------------


def write(path, data, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    os.chmod(path, mode)
    return path


def text(path, *lines):
    return write(path, "".join(line + "\n" for line in lines).encode())


def header(name, size=0, kind=b"0", link=b""):
    """A header of ustar; what is longer than its field goes in front, as GNU tar writes it."""
    front = b""
    if len(name) > 100:
        front += long_text(b"L", name)
        name = name[:100]
    if len(link) > 100:
        front += long_text(b"K", link)
        link = link[:100]
    block = bytearray(512)
    block[0 : len(name)] = name
    length = b"%011o\0" % size if size < 8**11 else b"\x80" + size.to_bytes(11, "big")
    block[100:124] = b"0000755\0" + b"0000000\0" * 2
    block[124:136] = length
    block[136:148] = b"00000000000\0"
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157 : 157 + len(link)] = link
    block[257:265] = b"ustar  \0"
    block[148:156] = b"%06o\0 " % sum(block)
    return front + bytes(block)


def padded(data):
    return data + bytes(-len(data) % 512)


def long_text(kind, value):
    return header(b"././@LongLink", len(value) + 1, kind) + padded(value + b"\0")


def member(name, data=b"", **fields):
    return header(name, len(data), **fields) + padded(data)


def pax(records, name=b"x", data=b""):
    """A member with pax records in front of it."""
    body = b""
    for key, value in records:
        rest = b" " + key + b"=" + value + b"\n"
        length = len(rest) + 1
        while len(b"%d" % length) + len(rest) != length:
            length = len(b"%d" % length) + len(rest)
        body += b"%d" % length + rest
    return member(b"PaxHeader", body, kind=b"x") + member(name, data)


END = bytes(1024)


def zstd(data):
    return subprocess.run(["zstd", "-q", "-c", "-1"], input=data, stdout=subprocess.PIPE, check=True).stdout


@functools.lru_cache
def frame_of_zeros():
    return zstd(bytes(64 * MIB))


def zstd_zeros(size):
    """Frames of 64 MiB one after another: the same few bytes again and again."""
    return frame_of_zeros() * (size // (64 * MIB))


LIBRARY = elf_bytes(soname="libtiny.so")
INDEX = b'{"name": "tiny", "version": "1.0", "build": "0", "depends": []}'


def conda(folder, content, info=None):
    """A .conda with a healthy library in front of `content`, which is compressed already."""
    packed = zstd(member(b"lib/libtiny.so", LIBRARY)) + content
    path = os.path.join(folder, "tiny-1.0-0.conda")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("info-tiny-1.0-0.tar.zst", zstd(info or member(b"info/index.json", INDEX) + END))
        archive.writestr("pkg-tiny-1.0-0.tar.zst", packed)
    return path


def wheel(folder, name="tiny", metadata=b"", members=(), spoil=None):
    built = Wheel(name)
    if metadata:
        built.members[2].data = b"Metadata-Version: 2.1\nName: %s\nVersion: 1.0\n" % name.encode() + metadata
    for extra_name, data in members:
        built.add(extra_name, data)
    if spoil:
        spoil(built)
    return write(os.path.join(folder, built.file_name()), built.bytes())


def program_tree(folder):
    """A root with one program that needs nothing."""
    root = os.path.join(folder, "root")
    write(os.path.join(root, "bin/main"), elf_bytes(program=True), 0o755)
    return root


def program_tar():
    return member(b"bin/main", elf_bytes(program=True))


def image(folder, layers, names=None, manifest=None, variables=()):
    """What `docker save` writes; `names`: of the layers in the manifest."""
    names = names or [name for name, _ in layers]
    document = manifest or json.dumps([{"Config": "config.json", "Layers": names}]).encode()
    config = json.dumps({"config": {"Cmd": ["/bin/main"], "Env": list(variables)}}).encode()
    data = member(b"manifest.json", document) + member(b"config.json", config)
    return write(
        os.path.join(folder, "image.tar"),
        data + b"".join(member(name.encode(), layer) for name, layer in layers) + END,
    )


# --- trees --------------------------------------------------------------------------------------

PLENTY = 300  # members, each 2,000 folders deep


def deep(number, depth=2000):
    return b"%d" % number + b"/a" * depth


@refused("folders of tar members", "its directories and files are more than are kept")
def _(folder):
    members = b"".join(header(deep(i), kind=b"5") for i in range(PLENTY))
    return ["--sysroot", write(f"{folder}/root.tar", program_tar() + members + END), "/bin/main"]


@case("folders of a conda package's members", LIMIT, "libtiny.so", "more directories and files than are kept")
def _(folder):
    return [conda(folder, zstd(b"".join(header(deep(i) + b"/x") for i in range(PLENTY)) + END))]


@case("folders of a wheel's members", LIMIT, "libtiny.so", "paths of more than")
def _(folder):
    return [wheel(folder, members=[(b"p/" + deep(i) + b"/x.so", b"") for i in range(60)])]


@case("links that pile folders upon folders", NOTHING, "bin/main")
def _(folder):
    """Each link leads 1,000 folders deep into the one before: a tree as deep as there are links."""
    parts = [program_tar()]
    for i in range(40):
        where = b"l%d/" % (i - 1) if i else b""
        parts.append(header(where + b"a" + b"/a" * 1000, kind=b"5"))
        parts.append(header(b"l%d" % i, kind=b"2", link=b"/" + where + b"a" + b"/a" * 1000))
    return ["--sysroot", write(f"{folder}/root.tar", b"".join(parts) + END), "/bin/main"]


@case("40 links that lead to and fro", NOTHING, "bin/main")
def _(folder):
    parts = [program_tar(), header(b"a/" * 1999 + b"a", kind=b"5")]
    for i in range(40):
        parts.append(header(b"l%d" % i, kind=b"2", link=b"a/" * 790 + b"../" * 790 + b"l%d" % (i + 1)))
    path = write(f"{folder}/root.tar", b"".join(parts) + END)
    return ["--sysroot", path, "/bin/main", *[f"/l{i}" for i in range(20)]]


@refused("a link with a target of 16 MiB", "damaged")
def _(folder):
    link = header(b"lib/libx.so", kind=b"2", link=b"a/" * (8 * MIB))
    return ["--sysroot", write(f"{folder}/root.tar.zst", zstd(program_tar() + link + END)), "/bin/main"]


@case("a conda package's links with targets of 900 KiB", ("CUD901",), "libtiny.so", "is a link to a path of")
def _(folder):
    link = header(b"lib/libx.so", kind=b"2", link=b"a/" * (450 << 10))
    return [conda(folder, zstd(link * 20 + END))]


@refused("a GNU long name of 1 GiB", "damaged")
def _(folder):
    front = program_tar() + header(b"././@LongLink", 1 << 30, b"L")
    path = write(f"{folder}/root.tar.zst", zstd(front) + zstd_zeros(1 << 30) + zstd(member(b"x") + END))
    return ["--sysroot", path, "/bin/main"]


@case("a pax header of 256 MiB", ("CUD901",), "libtiny.so", "damaged")
def _(folder):
    front = header(b"PaxHeader", 256 * MIB, b"x")
    return [conda(folder, zstd(front) + zstd_zeros(256 * MIB) + zstd(member(b"x") + END))]


@case("a pax header of 60,000 records", NOTHING, "libtiny.so")
def _(folder):
    return [conda(folder, zstd(pax([(b"k%d" % i, b"v") for i in range(60_000)], b"lib/x") + END))]


def sparse(entries, name=b"lib/libsparse.so"):
    """GNU's format 1.0: the map is in front of the data."""
    body = b"%d\n" % entries + b"".join(b"%d\n0\n" % (i * 512) for i in range(entries))
    records = [
        (b"GNU.sparse.major", b"1"),
        (b"GNU.sparse.minor", b"0"),
        (b"GNU.sparse.name", name),
        (b"GNU.sparse.realsize", b"%d" % (entries * 512)),
    ]
    return pax(records, name, padded(body))


@case("400,000 sparse entries", ("CUD112",), "bin/main")
def _(folder):
    path = write(f"{folder}/root.tar.zst", zstd(program_tar() + sparse(400_000) + END))
    return ["--sysroot", path, "/bin/main", "/lib/libsparse.so"]


@case("a conda package's 400,000 sparse entries", NOTHING, "libtiny.so")
def _(folder):
    return [conda(folder, zstd(sparse(400_000) + END))]


@case("a sparse extent that is the whole file", NOTHING, "libtiny.so")
def _(folder):
    """libarchive frees such a list while it is being read."""
    records = [(b"GNU.sparse.size", b"9223372036854775807"), (b"GNU.sparse.map", b"0,9223372036854775807")]
    return [conda(folder, zstd(pax(records, b"lib/x", b"") + END))]


def gz(data):
    return gzip.compress(data, 1)


@case("whiteouts of the same names", NOTHING, "bin/main")
def _(folder):
    low = program_tar() + b"".join(header(b"d/f%d" % i) for i in range(1000))
    high = b"".join(header(b"d/.wh.f%d" % (i % 1000)) for i in range(10_000)) + header(b"d/.wh..wh..opq") * 5000
    layers = [("low.tar.gz", gz(low + END)), ("high.tar.gz", gz(high + END))]
    return ["--sysroot", image(folder, layers), "/bin/main"]


@case("layers that repeat 5,000 folders", NOTHING, "bin/main")
def _(folder):
    layer = gz(program_tar() + b"".join(header(b"usr/%d" % i, kind=b"5") for i in range(5000)) + END)
    return ["--sysroot", image(folder, [("a.tar.gz", layer), ("b.tar.gz", layer)]), "/bin/main"]


# --- streams that are gone back in --------------------------------------------------------------


def grown(number):
    """A library of which each is larger than the one before, with tables of 60 KB to read."""
    library = elf_bytes(soname=f"libfar{number}.so", runpath="/" + "x" * 60_000)
    return library + bytes(number)


@case("512 MiB of zeros, then libraries read from the last to the first", NOTHING, "libtiny.so")
def _(folder):
    """What goes by is kept as long as there is room; then going back for each would take minutes."""
    size = 512 * MIB
    files = b"".join(member(b"lib/libfar%04d.so" % i, grown(i)) for i in range(1150))
    return [conda(folder, zstd(header(b"lib/zeros", size)) + zstd_zeros(size) + zstd(files + END))]


@case("one layer of 1 GiB named 1,024 times", NOTHING, "bin/main")
def _(folder):
    layer = zstd(program_tar() + header(b"zeros", 1 << 30)) + zstd_zeros(1 << 30) + zstd(END)
    return ["--sysroot", image(folder, [("layer.tar", layer)], ["layer.tar"] * 1024), "/bin/main"]


@case("two layers of 256 MiB named in turn 1,024 times", NOTHING, "bin/main")
def _(folder):
    layer = zstd(program_tar() + header(b"zeros", 256 * MIB)) + zstd_zeros(256 * MIB) + zstd(END)
    layers = [("a.tar", layer), ("b.tar", layer + zstd(b"another one"))]
    return ["--sysroot", image(folder, layers, ["a.tar", "b.tar"] * 512), "/bin/main"]


@refused("layers that come to more than --max-total", "of --max-total")
def _(folder):
    layer = zstd(program_tar() + header(b"zeros", 256 * MIB)) + zstd_zeros(256 * MIB) + zstd(END)
    layers = [(f"{i}.tar", layer + zstd(b"%d" % i)) for i in range(64)]
    return ["--max-total", "600MiB", "--sysroot", image(folder, layers), "/bin/main"]


@case("a conda package that comes to more than --max-total", LIMIT, "libtiny.so", "of --max-total")
def _(folder):
    zeros = zstd(header(b"lib/zeros", 512 * MIB)) + zstd_zeros(512 * MIB)
    return ["--max-total", "64MiB", conda(folder, zeros + zstd(member(b"lib/liblast.so", LIBRARY) + END))]


@refused("an image whose PATH has 3 million folders", "a variable of 3")
def _(folder):
    return [image(folder, [("a.tar", program_tar() + END)], variables=["PATH=" + "a:" * (3 * MIB // 2)])]


# --- what archives say in JSON ------------------------------------------------------------------


@refused("a manifest.json nested 4 million deep", "/manifest.json more than")
def _(folder):
    return ["--sysroot", image(folder, [("a.tar", END)], manifest=b"[" * (3 * MIB)), "/bin/main"]


@refused("a manifest.json of a million lists", "bytes of names and entries would be kept")
def _(folder):
    return ["--sysroot", image(folder, [("a.tar", END)], manifest=b"[" + b"[]," * MIB + b"[]]"), "/bin/main"]


@refused("an index.json of other machines", "no image")
def _(folder):
    row = b'{"digest":"sha256:0","platform":{"os":"linux","architecture":"a%04d"}}'
    rows = b",".join(row % (i % 10_000) for i in range(15_000))
    data = member(b"oci-layout", b"{}") + member(b"index.json", b'{"manifests":[' + rows + b"]}")
    return ["--sysroot", write(f"{folder}/oci.tar", data + END), "/bin/main"]


@case("a conda index nested deeply", ("CUD901",), "libtiny.so", "index.json")
def _(folder):
    return [conda(folder, zstd(END), member(b"info/index.json", b"[" * (3 * MIB)) + END)]


@case("a conda index of a million dependencies", ("CUD901",), "libtiny.so", "index.json")
def _(folder):
    index = b'{"name":"tiny","version":"1","depends":[' + b'"",' * MIB + b'""]}'
    return [conda(folder, zstd(END), member(b"info/index.json", index) + END)]


@case("paths.json that begins its text again and again", NOTHING, "libtiny.so")
def _(folder):
    paths = member(b"info/paths.json", b'"prefix_placeholder"' * 200_000)
    return [conda(folder, zstd(END), member(b"info/index.json", INDEX) + paths + END)]


def environment(folder):
    """A root with an environment, a program, and a library in it."""
    root = program_tree(folder)
    site = f"{root}/env/lib/python3.11/site-packages"
    write(f"{site}/pkg/libtiny.so", LIBRARY, 0o755)
    write(f"{root}/env/lib/libtiny.so", LIBRARY, 0o755)
    return root, site


@case("a conda-meta of 40 MiB that nests", NOTHING, "libtiny.so")
def _(folder):
    root, _ = environment(folder)
    write(f"{root}/env/conda-meta/x.json", b"[" * (40 * MIB))
    return ["--sysroot", root, "/env/lib/libtiny.so"]


@case("a conda-meta of 10 million names", LIMIT, "libtiny.so", "what packages claim")
def _(folder):
    root, _ = environment(folder)
    write(f"{root}/env/conda-meta/x.json", b'{"files":["",' + b'"a",' * (10 * MIB) + b'""]}')
    return ["--sysroot", root, "/env/lib/libtiny.so"]


def linked_records(folder, record, count):
    root, site = environment(folder)
    for i in range(count):
        os.makedirs(f"{site}/p{i}-1.dist-info")
        os.link(record, f"{site}/p{i}-1.dist-info/RECORD")
    return ["--sysroot", root, "/env/lib/python3.11/site-packages/pkg/libtiny.so"]


@case("a RECORD of 60 MiB of zeros by 500 names", LIMIT, "libtiny.so", "what packages claim")
def _(folder):
    record = write(f"{folder}/record", b"")
    os.truncate(record, 60 * MIB)
    return linked_records(folder, record, 500)


@case("a RECORD of 50,000 rows by 200 names", LIMIT, "libtiny.so", "what packages claim")
def _(folder):
    record = write(f"{folder}/record", b"".join(b"lib%d.so,,\n" % i for i in range(50_000)))
    return linked_records(folder, record, 200)


# --- wheels -------------------------------------------------------------------------------------


def repeated(line, size=4 * MIB):
    return line * (size // len(line))


@case("a METADATA of 260,000 requirements", LIMIT, "libtiny.so", "METADATA")
def _(folder):
    return [wheel(folder, metadata=repeated(b"Requires-Dist:a\n"))]


@case("a METADATA of one folded line", LIMIT, "libtiny.so", "METADATA")
def _(folder):
    return [wheel(folder, metadata=b"Requires-Dist: a\n" + repeated(b" b\n"))]


@case("requirements that may each bring each missing library", ("CUD501",), "libtiny.so")
def _(folder):
    """In the world of the tag each library is held against what the package requires."""
    lines = b"".join(b"Requires-Dist: q%d\n" % i for i in range(10_000))
    members = [(b"p%d.abi3.so" % i, elf_bytes(needed=[f"libn{i}_{j}.so" for j in range(20)])) for i in range(300)]
    return ["--host", "tag", wheel(folder, metadata=lines, members=members)]


@case("extras that may each bring each missing library", ("CUD501",), "libtiny.so")
def _(folder):
    lines = b"".join(b'Requires-Dist: q%d; extra == "e%d"\n' % (i, i) for i in range(10_000))
    return ["--host", "tag", wheel(folder, metadata=lines, members=[(b"p.abi3.so", elf_bytes(needed=["libn.so"]))])]


@case("a WHEEL of 700,000 tags", LIMIT, "libtiny.so", "WHEEL")
def _(folder):
    def spoil(built):
        built.members[3].data += repeated(b"Tag:a\n")

    return [wheel(folder, spoil=spoil)]


@case("a RECORD of more than 100,000 rows", ("CUD505",), "libtiny.so", "more than 100000 rows")
def _(folder):
    record = repeated(b"a,,\n", 420_000)
    return [wheel(folder, spoil=lambda built: with_record(built, record))]


@case("a RECORD of quotes", ("CUD505",), "libtiny.so", "rows in RECORD")
def _(folder):
    record = b'"' * (4 * MIB) + b"\n" + b'"""",' * 1000
    return [wheel(folder, spoil=lambda built: with_record(built, record))]


def with_record(built, data):
    built.record = lambda: Member(built.dist_info + b"RECORD", data, DEFLATED)


@case("3,000 members, each a .dist-info of its own", ("CUD506",), "libtiny.so")
def _(folder):
    return [wheel(folder, members=[(b"p%05d-1.dist-info/METADATA" % i, b"") for i in range(3000)])]


@case("8,000 names that differ by case", ("CUD506",), "libtiny.so", "upper and lower case")
def _(folder):
    def cased(i):
        return bytes(c - 32 if i >> k & 1 else c for k, c in enumerate(b"abcdefghijklmnop"))

    return [wheel(folder, members=[(b"pkg/" + cased(i), b"") for i in range(8000)])]


def pool(folder, requirement, others=("other",)):
    """A wheel with these lines of METADATA, and a folder of wheels to choose from."""
    for name in others:
        wheel(f"{folder}/pool", name)
    return ["--with", f"{folder}/pool", wheel(folder, metadata=requirement)]


@case("a marker of 4 million parentheses", LIMIT, "libtiny.so", "METADATA")
def _(folder):
    return pool(folder, b"Requires-Dist: other; " + b"(" * (4 * MIB) + b"\n")


@case("200 markers of 16,000 parentheses", NOTHING, "libtiny.so")
def _(folder):
    return pool(folder, (b"Requires-Dist: other; " + b"(" * 16_000 + b"\n") * 200)


@case("200 markers of 3,000 words", NOTHING, "libtiny.so")
def _(folder):
    return pool(folder, (b'Requires-Dist: other; os_name=="x"' + b" or a<b" * 2000 + b"\n") * 200)


@case("16 KiB of specifiers, and 6,000 wheels to choose from", LIMIT, "libtiny.so", "followed to its end")
def _(folder):
    command = pool(folder, b"Requires-Dist: other " + b">0," * 5000 + b">0\n")
    for i in range(1, 6000):
        os.symlink("other-1.0-py3-none-linux_x86_64.whl", f"{folder}/pool/other-1.{i}-py3-none-linux_x86_64.whl")
    return command


@case("a version of 16,000 digits, one of 8,000 parts", NOTHING, "libtiny.so")
def _(folder):
    return pool(folder, b"Requires-Dist: other >" + b"9" * 16_000 + b"\nRequires-Dist: other >1" + b".1" * 8000 + b"\n")


@case("a requirement that asks for ever more extras", LIMIT, "libtiny.so", "followed to its end")
def _(folder):
    return pool(folder, b"".join(b"Requires-Dist: tiny[e%d]\n" % i for i in range(9000)))


@case("9,000 requirements that are not there", NOTHING, "libtiny.so")
def _(folder):
    root = f"{folder}/env/lib/python3.11/site-packages"
    for i in range(1000):
        os.makedirs(f"{root}/q{i}-1.dist-info")
    text(f"{folder}/env/pyvenv.cfg", "home = /usr/bin", "version = 3.11.2")
    lines = b"".join(b"Requires-Dist: p%d\n" % i for i in range(9000))
    return ["--prefix", f"{folder}/env", *pool(folder, lines)]


@case("2,000 names of one wheel of 10,000 members", LIMIT, "libtiny.so", "followed to its end")
def _(folder):
    big = wheel(f"{folder}/pool", "big", members=[(b"pkg/%d" % i, b"") for i in range(10_000)])
    for i in range(2000):
        os.symlink(big, f"{folder}/pool/big{i}-1.0-py3-none-linux_x86_64.whl")
    return ["--with", f"{folder}/pool", wheel(folder), "py:absent"]


# --- texts of a tree ----------------------------------------------------------------------------


@survey("ld.so.cache of 100,000 folders")
def _(folder):
    strings, entries = bytearray(b"libcudart.so\0"), []
    for i in range(100_000):
        entries.append((0, len(strings)))
        strings += b"/%x/x\0" % i
    head = b"glibc-ld.so.cache1.1" + struct.pack("<IIB3xI12x", len(entries), len(strings), 2, 0)
    at = len(head) + 24 * len(entries)
    table = b"".join(struct.pack("<IIIIQ", 0x0303, at + key, at + value, 0, 0) for key, value in entries)
    root = program_tree(folder)
    write(f"{root}/lib64/ld-linux-x86-64.so.2", elf_bytes(), 0o755)
    write(f"{root}/etc/ld.so.cache", head + table + strings)
    return ["--sysroot", root]


@survey("kernel modules that are one sparse file")
def _(folder):
    root = program_tree(folder)
    path = write(f"{root}/nvidia.ko", b"")
    os.truncate(path, 256 * MIB)
    for i in range(100):
        os.makedirs(f"{root}/lib/modules/{i}/updates")
        os.link(path, f"{root}/lib/modules/{i}/updates/nvidia.ko")
    return ["--sysroot", root]


@survey("a version.py that repeats one word, for 50 versions")
def _(folder):
    root, site = environment(folder)
    write(f"{site}/torch/version.py", b"cuda " * 800_000)
    text(f"{root}/env/pyvenv.cfg", "home = /usr/bin", "version = 3.11.2")
    for i in range(50):
        os.makedirs(f"{site}/torch-{i}.dist-info")
    return ["--sysroot", root, "--prefix", "/env"]


@refused("a description of a machine that nests", "--host")
def _(folder):
    path = write(f"{folder}/host.json", b"[" * (30 * MIB))
    return ["--host", path, write(f"{folder}/main", elf_bytes(program=True), 0o755)]


def described(folder, libraries, more=""):
    """Asks about a program on a machine whose description has these rows."""
    path = text(f"{folder}/host.json", '{"schema": "cudald/host", "schema_version": "1.1", "platform": "linux-x86_64",'
                + more + '"libraries": [' + libraries + "]}")
    return ["--host", path, write(f"{folder}/main", elf_bytes(program=True), 0o755)]


@refused("a description with millions of rows", "--host")
def _(folder):
    return described(folder, '{"path":"/a"},' * 2_000_000 + '{"path":"/a"}')


@refused("a description with millions of symbols", "--host")
def _(folder):
    return described(folder, '{"path":"/a","symbols":{"asks":[[0,0' + ',"f"' * 6_000_000 + "]]}}")


@refused("a description in gzip that has no end", "--host")
def _(folder):
    path = write(f"{folder}/host.json.gz", gzip.compress(b" " * (400 * MIB), 9))
    return ["--host", path, write(f"{folder}/main", elf_bytes(program=True), 0o755)]


@refused("a description of deep folders", "--host")
def _(folder):
    return described(folder, ",".join('{"path":"' + "/a" * 2000 + f'/{i}"}}' for i in range(1000)))


@case("a description of long paths", (), "main")
def _(folder):
    deep = "/".join("a" * 60 for _ in range(62))
    return described(folder, ",".join(f'{{"path":"/{i}{deep}/{i}"}}' for i in range(1500)))


if __name__ == "__main__":
    sys.exit(run(__doc__, CASES))
