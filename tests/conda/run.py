#!/usr/bin/env python3
"""Asks cudald about conda packages and image tars, and about the same files as folders: one answer.

    run.py CUDALD [--only GLOB] [--keep DIR]

Reference for what lies where: the folder that a package or image was made of, with what its layers remove
removed by hand. Then malformed and hostile ones: each must give the finding or the line that its case names,
within the limits. Output is TAP.
"""

import argparse
import fnmatch
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

import make_packages as make  # noqa: E402
from make_packages import add, conda, tar_bz2, tar_of, zstd  # noqa: E402
from tap import Tap, first  # noqa: E402

SECONDS = 10  # of processor time
MEGABYTES = 256
VARIABLES = {"PATH": "/usr/local/bin:/usr/bin", "LD_LIBRARY_PATH": "/opt/tiny:/usr/local/lib"}


class Answer:
    def __init__(self, status, stdout, stderr, seconds, megabytes):
        self.status, self.seconds, self.megabytes = status, seconds, megabytes
        self.stdout, self.stderr = stdout.decode(errors="replace"), stderr.decode(errors="replace")
        try:
            self.report = json.loads(self.stdout)
        except ValueError:
            self.report = None

    def codes(self):
        return {finding["code"] for finding in self.report["findings"]} if self.report else set()

    def details(self):
        return [f"exit status {self.status}", *self.stderr.splitlines()[:5], *self.stdout.splitlines()[:200]]


class Tester:
    def __init__(self, tap, cudald, folder, only):
        self.tap, self.cudald, self.folder, self.only = tap, cudald, folder, only

    def wanted(self, name):
        return fnmatch.fnmatch(name, self.only)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return self.path(name)

    def ask(self, *words):
        env = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
        env.update((name, value) for name, value in os.environ.items() if name.endswith("SAN_OPTIONS"))
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = subprocess.Popen(
                [self.cudald, "explain", "-f", "json", "--constants", "all", *words],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=env,
                cwd="/",
            )
            timer = threading.Timer(8 * SECONDS, process.kill)
            timer.start()
            _, wait_status, usage = os.wait4(process.pid, 0)
            timer.cancel()
            process.returncode = os.waitstatus_to_exitcode(wait_status)  # so that Popen does not wait again
            out.seek(0)
            err.seek(0)
            return Answer(
                process.returncode,
                out.read(),
                err.read(),
                usage.ru_utime + usage.ru_stime,
                usage.ru_maxrss / 1024,
            )

    def same(self, name, ours, reference):
        differing = []
        if ours is None or reference is None:
            differing = ["no report"]
        elif ours != reference:
            left, right = (json.dumps(report, indent=1).splitlines() for report in (ours, reference))
            differing = [f"- {a}\n+ {b}" for a, b in zip(left, right) if a != b] or ["one is longer"]
        return self.tap.ok(not differing, name, first(differing))


def renamed(report, *names):
    """The process of a report, with path beginnings replaced; what depends on where the files lie is left out."""
    if report is None:
        return None
    text = json.dumps({key: report[key] for key in ("verdict", "targets", "objects", "symbols")})
    for old, new in names:
        text = text.replace(old, new)
    report = json.loads(text)
    for thing in report["objects"]:
        thing["package"] = None
        for needed in thing["needed"]:
            for probe in needed["tried"]:
                probe["path"] = os.path.normpath(probe["path"])
    return report


# --- packages -----------------------------------------------------------------------------------


def test_packages(test):
    tap = test.tap
    prefix = test.path("prefix")
    make.make_prefix(prefix)
    packages = {"tiny-1.2.3-h0_0.tar.bz2": tar_bz2(prefix)}
    if make.has_zstd():
        packages["tiny-1.2.3-h0_0.conda"] = conda(tar_of(prefix))
    else:
        tap.skip("packages of the newer format", "zstd is not installed")
    for name, data in packages.items():
        package = test.write(name, data)

        def inside(answer, name=name):
            return renamed(
                answer.report,
                (name + "!/", "ROOT/"),
                ("/.wheels/", "ROOT/"),
                ("lib/python3.11", "lib/python3"),
                ('"site-packages/', '"ROOT/lib/python3/site-packages/'),
            )

        def outside(answer):
            return renamed(answer.report, (prefix + "/", "ROOT/"), ("lib/python3.11", "lib/python3"))

        for target in [
            make.MODULE,
            "lib/libbig.so",
            "lib/libtop.so",
            "lib/libmid.so.1",
            "lib64/libmid.so.1.0",
        ]:
            test.same(
                f"{name}: {target} as in a folder",
                inside(test.ask("--with", package, "/.wheels/" + target)),
                outside(test.ask(f"{prefix}/{target}")),
            )
        loops = [test.ask("--with", package, "/.wheels/lib/loop-a.so"), test.ask(f"{prefix}/lib/loop-a.so")]
        tap.ok(
            all("Too many levels" in answer.stderr + answer.stdout for answer in loops),
            f"{name}: a loop of links",
            loops[0].details(),
        )

        answer = test.ask(package)
        objects = (
            {thing["path"]: thing["package"] for thing in answer.report["objects"]} if answer.report else {}
        )
        tap.ok(answer.status == 0, f"{name} loads", answer.details())
        tap.ok(
            objects.get(f"{name}!/lib/libtop.so.1.2") == {"name": "tiny", "version": "1.2.3"},
            f"{name}: the report names package and member",
            objects,
        )
        tap.ok(f"{name}!/{make.MODULE}" in objects, f"{name}: the extension module is loaded", objects)
        ids = [path for path in objects if "twin" in path or "libmid" in path]
        tap.ok(len(ids) == 1, f"{name}: names of one file are one object", ids)


def wheel(prefix, needed):
    """A wheel whose extension module finds a library where conda installs it."""
    module = os.path.join(prefix, "wheel", "_W.cpython-311-x86_64-linux-gnu.so")
    make.compile_library(
        module, "int top(void); int PyInit__W(void) { return top(); }", None, needed, "$ORIGIN/../../.."
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.write(module, "wext/_W.cpython-311-x86_64-linux-gnu.so")
        archive.writestr("wext-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: wext\nVersion: 1.0\n")
        archive.writestr(
            "wext-1.0.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp311-cp311-linux_x86_64\n",
        )
        archive.writestr("wext-1.0.dist-info/RECORD", "wext-1.0.dist-info/RECORD,,\n")
    return out.getvalue()


def test_side_by_side(test):
    tap = test.tap
    prefix = test.path("prefix")
    lower = test.write(
        "mid-1-0.tar.bz2",
        tar_bz2(
            None,
            [
                lambda tar: [
                    tar.add(f"{prefix}/{name}", name) for name in ("lib64/libmid.so.1.0", "lib/libmid.so.1")
                ]
            ],
            make.index("mid", "1", "0"),
        ),
    )
    upper = test.write(
        "top-2-0.tar.bz2",
        tar_bz2(
            None,
            [
                lambda tar: [
                    tar.add(f"{prefix}/{name}", name) for name in ("lib/libtop.so.1.2", "lib/libtop.so.1")
                ]
            ],
            make.index("top", "2", "0"),
        ),
    )
    ext = test.write("wext-1.0-cp311-cp311-linux_x86_64.whl", wheel(prefix, [f"{prefix}/lib/libtop.so.1"]))
    answer = test.ask(ext, "--with", upper, "--with", lower)
    named = (
        {(thing["package"] or {}).get("name") for thing in answer.report["objects"]}
        if answer.report
        else set()
    )
    tap.ok(
        answer.status == 0 and {"wext", "top", "mid"} <= named,
        "a wheel and two conda packages are one environment",
        answer.details(),
    )
    answer = test.ask(ext, "--with", upper)
    missing = [finding["message"] for finding in answer.report["findings"]] if answer.report else []
    tap.ok(
        answer.status == 1 and "CUD101" in answer.codes() and any("libmid.so.1" in text for text in missing),
        "without one of them a library is missing",
        answer.details(),
    )
    answer = test.ask(upper, lower)
    tap.ok(answer.status == 0, "several targets", answer.details())

    module = f"{prefix}/{make.MODULE}"
    noarch = test.write(
        "noarch-1-0.tar.bz2",
        tar_bz2(
            None,
            [
                lambda tar: [
                    tar.add(module, "site-packages/ext/_C.abi3.so"),
                    add(tar, "python-scripts/run", b"#!/bin/sh\n"),
                ]
            ],
            make.index("noarch", "1", "0", noarch="python"),
        ),
    )
    whole = test.path("tiny-1.2.3-h0_0.tar.bz2")
    answer = test.ask(
        "--with", whole, "--with", noarch, "/.wheels/lib/python3.11/site-packages/ext/_C.abi3.so"
    )
    paths = [thing["path"] for thing in answer.report["objects"]] if answer.report else []
    tap.ok(
        paths[:2]
        == ["noarch-1-0.tar.bz2!/site-packages/ext/_C.abi3.so", "tiny-1.2.3-h0_0.tar.bz2!/lib/libtop.so.1.2"],
        "a noarch package is in site-packages",
        [paths, *answer.details()],
    )


def test_placeholder(test):
    """A search path with the builder's prefix in it is that of the environment, as conda will write it."""
    folder = test.path("placeholder")
    placeholder = "/home/builder/_h_env" + "_placehold" * 20
    make.compile_library(f"{folder}/lib/libb.so", "int b(void) { return 1; }", "libb.so")
    make.compile_library(
        f"{folder}/lib/liba.so",
        "int b(void); int a(void) { return b(); }",
        "liba.so",
        [f"{folder}/lib/libb.so"],
        f"{placeholder}/lib",
    )
    paths = {"paths": [{"_path": "lib/liba.so", "file_mode": "binary", "prefix_placeholder": placeholder}]}
    infos = {
        "paths.json": json.dumps(paths),
        "has_prefix": f"{placeholder} binary lib/liba.so\n",
        "unrelated": "",
    }
    for name, text in infos.items():

        def info(tar, name=name, text=text):
            add(tar, f"info/{name}", text.encode())

        package = test.write("place-1-0.tar.bz2", tar_bz2(folder, [info], make.index("place", "1", "0")))
        answer = test.ask(package)
        wanted = 1 if name == "unrelated" else 0
        test.tap.ok(answer.status == wanted, f"a placeholder told by {name}", answer.details())
        found = [
            probe["path"]
            for thing in (answer.report or {"objects": []})["objects"]
            for needed in thing["needed"]
            for probe in needed["tried"]
            if probe["result"] == "found" and needed["kind"] == "needed"
        ]
        test.tap.ok(
            wanted == 1 or found == ["place-1-0.tar.bz2!/lib/libb.so"], "it leads into the package", found
        )


def test_sparse(test):
    prefix = test.path("prefix")
    shutil.copy(f"{prefix}/lib/libbig.so", test.path("dense"))
    subprocess.run(
        ["cp", "--sparse=always", f"{prefix}/lib/libbig.so", f"{prefix}/lib/libsparse.so"], check=True
    )
    for form in ("gnu", "posix"):
        for suffix, compress in make.COMPRESSIONS.items():
            if suffix == ".zst" and not make.has_zstd():
                continue
            names = ["lib/libsparse.so", "lib/libtop.so.1.2", "lib/libtop.so.1", "lib/libmid.so.1", "lib64"]
            tar = subprocess.run(
                ["tar", "-S", f"--format={form}", "-C", prefix, "-cf", "-", *names],
                stdout=subprocess.PIPE,
                check=True,
            ).stdout
            root = test.write(f"sparse.tar{suffix}", compress(tar))
            test.same(
                f"sparse members, {form} format, {suffix or 'plain'}",
                renamed(test.ask("--sysroot", root, "/lib/libsparse.so").report),
                renamed(test.ask("--sysroot", prefix, "/lib/libsparse.so").report),
            )
            test.tap.ok(len(tar) < 2 << 20, "the tar is sparse", [len(tar)])
    os.remove(f"{prefix}/lib/libsparse.so")


# --- images -------------------------------------------------------------------------------------


def test_roots(test):
    root = test.path("root")
    make.make_root(root)
    plain = {
        form: tar_of(root, format=form)
        for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT)
    }
    dotted = subprocess.run(["tar", "-C", root, "-cf", "-", "."], stdout=subprocess.PIPE, check=True).stdout
    tars = {f"root.{form}.tar": data for form, data in plain.items()}
    tars["dotted.tar"] = dotted
    tars["members.tar.gz"] = b"".join(
        make.gzip.compress(dotted[at : at + 100_000], 1) for at in range(0, len(dotted), 100_000)
    )
    for suffix, compress in make.COMPRESSIONS.items():
        if suffix == ".zst" and not make.has_zstd():
            test.tap.skip("zstd", "it is not installed")
        elif suffix:
            tars[f"root.tar{suffix}"] = compress(plain[tarfile.GNU_FORMAT])
    questions = [
        ["/usr/bin/app"],
        ["/bin/ls"],
        ["/usr/bin/app", "--env", "LD_LIBRARY_PATH=/opt/tiny:/usr/local/lib"],
        ["/usr/local/lib/libself.so"],
        ["/opt/tiny/../tiny/libtiny.so.1"],
        ["/usr/local/lib/libup.so"],
    ]
    for question in questions:
        reference = renamed(test.ask("--sysroot", root, *question).report)
        for name, data in tars.items():
            test.same(
                f"{name}: {question[0]} as in a folder",
                renamed(test.ask("--sysroot", test.write(name, data), *question).report),
                reference,
            )


def layered(test):
    """Three layers over one another, and the folder that they make."""
    root, result = test.path("root"), test.path("merged")
    shutil.copytree(root, result, symlinks=True)
    base = tar_of(root)
    stray = b"not a library"
    middle = tar_of(
        None,
        [
            lambda tar: [
                add(tar, "opt/real/libextra.so", stray),
                add(tar, "opt/gone/a", b"a"),
                add(tar, "opt/gone/deep/b", b"b"),
                add(tar, "usr/local/lib/.wh.libup.so"),
                add(tar, "usr/local/lib/libself.so", stray),
            ]
        ],
    )
    with open(f"{root}/opt/real/libtiny.so.1", "rb") as file:
        tiny = file.read()
    top = tar_of(
        None,
        [
            lambda tar: [
                add(tar, "opt/gone/kept", b"k"),
                add(tar, "opt/gone/.wh..wh..opq"),
                add(tar, "opt/real/.wh.libextra.so"),
                add(tar, "usr/local/lib/libup.so", tiny),
                add(tar, "usr/local/lib/libself.so", type=tarfile.SYMTYPE, linkname="/opt/real/libtiny.so.1"),
            ]
        ],
    )
    os.remove(f"{result}/usr/local/lib/libup.so")
    os.remove(f"{result}/usr/local/lib/libself.so")
    os.symlink("/opt/real/libtiny.so.1", f"{result}/usr/local/lib/libself.so")
    with open(f"{result}/usr/local/lib/libup.so", "wb") as file:
        file.write(tiny)
    os.makedirs(f"{result}/opt/gone")
    with open(f"{result}/opt/gone/kept", "wb") as file:
        file.write(b"k")
    os.remove(f"{result}/usr/local/lib/libtiny-hard.so")
    os.link(f"{result}/opt/real/libtiny.so.1", f"{result}/usr/local/lib/libtiny-hard.so")
    return [base, middle, top], result


def test_images(test):
    layers, folder = layered(test)
    variables = [word for name, value in VARIABLES.items() for word in ("--env", f"{name}={value}")]
    reference = test.ask("--sysroot", folder, "/usr/bin/app", "--cwd", "/opt", *variables)
    test.tap.ok(reference.status == 0, "the folder itself is healthy", reference.details())
    compress = {"": make.COMPRESSIONS[""], ".gz": make.COMPRESSIONS[".gz"]}
    if make.has_zstd():
        compress[".zst"] = zstd
    images = {}
    for suffix, function in compress.items():
        small = [function(layer) for layer in layers]
        images[f"docker-layers{suffix or '-plain'}.tar"] = make.docker_save(small)
        images[f"oci-layers{suffix or '-plain'}.tar"] = make.oci(small, architectures=("arm64", "amd64"))
        if suffix:
            images[f"docker.tar{suffix}"] = function(make.docker_save(layers))
            images[f"oci.tar{suffix}"] = function(make.oci(small))
    images["docker-twice.tar"] = make.docker_save([layers[0], layers[1], layers[1], layers[2]])
    for name, data in images.items():
        image = test.write(name, data)
        test.same(
            f"{name}: the program that it starts", renamed(test.ask(image).report), renamed(reference.report)
        )
        test.same(
            f"{name}: as a root",
            renamed(test.ask("--sysroot", image, "/usr/bin/app").report),
            renamed(reference.report),
        )
        answers = [
            test.ask("--sysroot", image, "--cwd", "/", path)
            for path in ("/opt/gone/a", "/opt/gone/deep/b", "/opt/real/libextra.so", "/opt/gone/kept")
        ]
        told = [json.dumps(answer.report) + answer.stderr for answer in answers]
        test.tap.ok(
            all("No such file" in text for text in told[:3]) and "not an ELF file" in told[3],
            f"{name}: what a layer removes is gone, and nothing else",
            told,
        )
    image = test.write("docker.tar", images["docker-layers-plain.tar"])
    answer = test.ask("--clear-env", "--sysroot", image, "/usr/bin/app")
    test.tap.ok(answer.status == 1, "--clear-env leaves the image's variables out", answer.details())
    answer = test.ask("--env", "LD_LIBRARY_PATH=/nowhere", image)
    test.tap.ok(answer.status == 1, "--env wins against the image's variables", answer.details())


def test_clear_lines(test):
    layers, _ = [tar_of(test.path("root"))], None
    root, image = test.write("plain.tar", layers[0]), test.write("image.tar", make.docker_save(layers))
    rows = [
        ("a root without a config", [root], "--sysroot"),
        ("an image beside another target", [image, "/bin/ls"], "--sysroot"),
        ("two images in a tar", [test.write("two.tar", make.docker_save(layers, images=2))], "2 images"),
        (
            "no image for this machine",
            [test.write("arm.tar", make.oci(layers, architectures=("arm64",))), "--platform", "linux-x86_64"],
            "arm64",
        ),
        (
            "a config without a program",
            [test.write("none.tar", make.docker_save(layers, make.config(Entrypoint=None, Cmd=None)))],
            "names no program",
        ),
        ("no tar", ["--sysroot", test.write("text.tar", b"text\n" * 1000), "/bin/ls"], "nor a tar"),
        ("an empty file", ["--sysroot", test.write("empty.tar", b""), "/bin/ls"], "nor a tar"),
        (
            "a layer that is not there",
            [
                test.write(
                    "gone.tar",
                    tar_of(
                        None,
                        [
                            lambda tar: [
                                add(tar, "config.json", make.config()),
                                add(
                                    tar,
                                    "manifest.json",
                                    b'[{"Config": "config.json", "Layers": ["a/layer.tar"]}]',
                                ),
                            ]
                        ],
                    ),
                )
            ],
            "a/layer.tar",
        ),
        (
            "a manifest that is not valid JSON",
            [test.write("bad.tar", tar_of(None, [lambda tar: add(tar, "manifest.json", b"{")]))],
            "not valid JSON",
        ),
        (
            "a manifest of other types",
            [
                test.write(
                    "types.tar",
                    tar_of(
                        None, [lambda tar: add(tar, "manifest.json", b'[{"Config": 3, "Layers": {"a": 1}}]')]
                    ),
                )
            ],
            "0 layers",
        ),
        ("an index that leads to itself", [test.write("ring.tar", ring())], "from index to index"),
        (
            "a tar.bz2 that is no conda package",
            [test.write("root.tar.bz2", make.bz2.compress(layers[0]))],
            "no conda package",
        ),
    ]
    for name, words, part in rows:
        answer = test.ask(*words)
        test.tap.ok(
            answer.status in (2, 3)
            and part in answer.stderr + answer.stdout
            and len(answer.stderr.splitlines()) <= 2,
            f"{name}: one clear line",
            answer.details(),
        )


def ring():
    # A blob cannot hold its own hash, but nothing checks the hash: its name may be any.
    text = b'{"manifests": [{"digest": "sha256:aa"}]}'
    return tar_of(
        None,
        [
            lambda tar: [
                add(tar, "oci-layout", b"{}"),
                add(tar, "index.json", text),
                add(tar, "blobs/sha256/aa", text),
            ]
        ],
    )


# --- hostile ------------------------------------------------------------------------------------


def library(test):
    with open(test.path("prefix/lib64/libmid.so.1.0"), "rb") as file:
        return file.read()


def header_with(size_field, data):
    """A tar of one member whose header states another size."""
    raw = bytearray(tar_of(None, [lambda tar: add(tar, "lib/libx.so", data)]))
    raw[124:136] = size_field
    raw[148:156] = b" " * 8
    raw[148:156] = b"%06o\0 " % sum(raw[:512])
    return bytes(raw)


def hostile_members(test):
    """Name, what is added to a healthy package, the code to be found (None: none), words of the finding."""
    data = library(test)
    link = {"type": tarfile.SYMTYPE}
    hard = {"type": tarfile.LNKTYPE}
    many = [lambda tar: [add(tar, f"share/{i}", b"") for i in range(2000)]]
    return [
        ("an absolute name", [lambda tar: add(tar, "/etc/cron.d/x", data)], "CUD507", "absolute"),
        ("a name with ..", [lambda tar: add(tar, "lib/../../x.so", data)], "CUD507", "`..`"),
        ("a control character", [lambda tar: add(tar, "lib/\x1b[31m.so", data)], "CUD507", "control"),
        ("a long name", [lambda tar: add(tar, "lib/" + "n" * 300, data)], "CUD901", "part of over"),
        (
            "the same name twice",
            [lambda tar: [add(tar, "lib/libd.so", b"x"), add(tar, "lib/libd.so", data)]],
            "CUD506",
            "twice",
        ),
        ("a device", [lambda tar: add(tar, "lib/dev.so", type=tarfile.CHRTYPE)], "CUD507", "device"),
        ("a FIFO", [lambda tar: add(tar, "lib/fifo.so", type=tarfile.FIFOTYPE)], "CUD507", "FIFO"),
        (
            "a link to an absolute path",
            [lambda tar: add(tar, "lib/liba.so", linkname="/etc/passwd", **link)],
            "CUD507",
            "/etc/passwd",
        ),
        (
            "a link that climbs out",
            [lambda tar: add(tar, "lib/liba.so", linkname="../../etc/passwd", **link)],
            "CUD507",
            "out of the package",
        ),
        (
            "a folder that is a link out",
            [lambda tar: [add(tar, "out", linkname="/tmp", **link), add(tar, "out/libx.so", data)]],
            "CUD507",
            "/tmp",
        ),
        (
            "a hard link to nothing",
            [lambda tar: add(tar, "lib/liba.so", linkname="lib/none.so", **hard)],
            "CUD901",
            "hard link",
        ),
        ("a link without a target", [lambda tar: add(tar, "lib/liba.so", **link)], "CUD901", "to nothing"),
        (
            "a hard link to itself",
            [lambda tar: add(tar, "lib/liba.so", linkname="lib/liba.so", **hard)],
            "CUD901",
            "hard link",
        ),
        (
            "a file below a file",
            [lambda tar: [add(tar, "lib/f", b"x"), add(tar, "lib/f/libx.so", data)]],
            "CUD506",
            "not a directory",
        ),
        (
            "a loop of folders",
            [
                lambda tar: [
                    add(tar, "a", linkname="b", **link),
                    add(tar, "b", linkname="a", **link),
                    add(tar, "a/libx.so", data),
                ]
            ],
            "CUD506",
            "not a directory",
        ),
        ("2000 empty members", many, None, ""),
        ("a name that is not UTF-8", [lambda tar: add(tar, "share/\udcff", b"x")], "CUD506", "UTF-8"),
    ]


def hostile_packages(test):
    """Name, file name, bytes, code or None for one clear line, words."""
    data = library(test)
    healthy = tar_of(None, [lambda tar: add(tar, "lib/libx.so", data)])
    rows = []
    for name, extra, code, words in hostile_members(test):
        rows.append(
            (
                name,
                "x-1-0.tar.bz2",
                tar_bz2(None, [lambda tar: add(tar, "lib/libx.so", data), *extra]),
                code,
                words,
            )
        )
        rows.append(
            (
                name,
                "x-1-0.conda",
                conda(tar_of(None, [lambda tar: add(tar, "lib/libx.so", data), *extra])),
                code,
                words,
            )
        )
    long = tar_of(
        None, [lambda tar: [add(tar, "lib/libx.so", data), add(tar, "lib/noise", os.urandom(1 << 20))]]
    )
    packed = zstd(long)
    rows += [
        ("a stream that is cut", "x-1-0.conda", conda(packed[: len(packed) // 2]), "CUD901", "cut short"),
        ("a tar that is cut", "x-1-0.conda", conda(long[: len(long) // 2]), "CUD901", "cut short"),
        ("damaged bytes", "x-1-0.conda", conda(packed[:5000] + b"\xff" * 100 + packed[5100:]), "CUD901", ""),
        (
            "a size of 8 GiB for a few bytes",
            "x-1-0.conda",
            conda(healthy + header_with(b"77777777777\0", b"x")[:1024]),
            None,
            "",
        ),
        (
            "only such a member",
            "x-1-0.conda",
            conda(header_with(b"77777777777\0", data)),
            "CUD901",
            "cut short",
        ),
        (
            "a size of 2**62",
            "x-1-0.conda",
            conda(header_with(b"\x80\0\0\0\x40" + b"\0" * 7, data)),
            "CUD90",
            "",
        ),
        ("a negative size", "x-1-0.conda", conda(header_with(b"\xff" * 12, data)), "CUD90", ""),
        ("no content", "x-1-0.conda", conda(None), None, "pkg-"),
        ("content that is no tar", "x-1-0.conda", conda(b"text" * 1000), "CUD901", ""),
        ("an index that is not valid JSON", "x-1-0.conda", conda(healthy, info_of(b"{")), "CUD901", "index.json"),
        (
            "an index nested deeply",
            "x-1-0.conda",
            conda(healthy, info_of(b'{"name":' + b"[" * 500_000)),
            "CUD901",
            "index.json",
        ),
        (
            "an index of other types",
            "x-1-0.conda",
            conda(healthy, info_of(b'{"name": [], "depends": 3}')),
            "CUD901",
            "index.json",
        ),
        ("no zip", "x-1-0.conda", b"text" * 1000, None, "no conda package"),
        ("an empty file", "x-1-0.conda", b"", None, "no conda package"),
        ("no tar", "x-1-0.tar.bz2", make.bz2.compress(b"text" * 1000), None, "no conda package"),
        ("no bzip2", "x-1-0.tar.bz2", b"text" * 1000, None, "no conda package"),
        ("BZh and nothing", "x-1-0.tar.bz2", b"BZh9", None, "no conda package"),
        ("a bomb", "x-1-0.conda", conda(bomb(data)), "CUD507", "beyond all proportion"),
    ]
    return rows


def info_of(text):
    return tar_of(None, [lambda tar: add(tar, "info/index.json", text)])


@functools.lru_cache(maxsize=1)
def bomb(data):
    """6 GiB of zeros in a member, zstd-compressed as they come."""
    size = 6 << 30
    front = tar_of(None, [lambda tar: add(tar, "lib/libx.so", data)])
    front = front[: 1024 + (len(data) + 511) // 512 * 512 - 512]
    member = tarfile.TarInfo("lib/zeros")
    member.size = size
    process = subprocess.Popen(["zstd", "-q", "-c", "-1"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def feed():
        process.stdin.write(front + member.tobuf(tarfile.GNU_FORMAT))
        zeros = bytes(1 << 24)
        for _ in range(size >> 24):
            process.stdin.write(zeros)
        process.stdin.close()

    thread = threading.Thread(target=feed)
    thread.start()
    packed = process.stdout.read()
    thread.join()
    process.wait()
    return packed


def within_limits(answer):
    if answer.status not in (0, 1, 2, 3):
        yield f"exit status {answer.status}"
    if "Sanitizer" in answer.stderr or "runtime error:" in answer.stderr:
        yield answer.stderr[:1500]
    if answer.seconds > SECONDS:
        yield f"{answer.seconds:.1f} s of processor time"
    if answer.megabytes > MEGABYTES:
        yield f"{answer.megabytes:.0f} MB"


def test_hostile_packages(test):
    if not make.has_zstd():
        test.tap.skip("hostile packages", "zstd is not installed")
        return
    for name, file, data, code, words in hostile_packages(test):
        answer = test.ask(test.write(file, data))
        faults = list(within_limits(answer))
        if code is None and words:
            if answer.status not in (2, 3) or words not in answer.stderr + answer.stdout:
                faults.append(f"no line with {words!r}")
        elif code is None:
            if not answer.report or answer.codes() & {"CUD506", "CUD507", "CUD902"}:
                faults.append("a finding about the archive")
        elif not answer.report or not any(
            finding["code"].startswith(code) and words in json.dumps(finding, ensure_ascii=False)
            for finding in answer.report["findings"]
        ):
            faults.append(f"no {code} with the words {words!r}")
        if name == "the same name twice" and answer.status != 0:
            faults.append("the last one does not count")
        test.tap.ok(
            not faults,
            f"{file}, {name}: {code or words or 'healthy'}",
            [*faults, *answer.details()] if faults else (),
        )


def test_hostile_images(test):
    data = library(test)
    root = tar_of(test.path("root"))
    for name, extra, _, _ in hostile_members(test):
        # In a root such names are common (tar -P writes absolute ones): it is still the same root.
        whole = tar_of(test.path("root"), extra)
        for suffix in ("", ".gz", ".zst") if make.has_zstd() else ("", ".gz"):
            image = test.write(f"hostile.tar{suffix}", make.COMPRESSIONS[suffix](whole))
            answer = test.ask("--sysroot", image, "/bin/ls")
            faults = list(within_limits(answer))
            if answer.status != 0:
                faults.append("ls does not load")
            test.tap.ok(not faults, f"image{suffix}, {name}", [*faults, *answer.details()] if faults else ())
    rows = [
        ("a root that is cut", "cut.tar", root[: len(root) // 2]),
        ("gzip that is cut", "cut.tar.gz", make.COMPRESSIONS[".gz"](root)[:-30_000]),
        ("xz that is cut", "cut.tar.xz", make.COMPRESSIONS[".xz"](root)[:-30_000]),
        ("bzip2 that is cut", "cut.tar.bz2", make.COMPRESSIONS[".bz2"](root)[:-30_000]),
        ("gzip with a wrong checksum", "sum.tar.gz", make.COMPRESSIONS[".gz"](root)[:-8] + b"\0" * 8),
        ("gzip of nothing", "none.tar.gz", make.gzip.compress(b"")),
        ("gzip's first bytes", "short.tar.gz", b"\x1f\x8b"),
        ("a lying size", "lie.tar", header_with(b"77777777777\0", data)),
        ("a layer that is cut", "layer.tar", make.docker_save([make.COMPRESSIONS[".gz"](root)[:-30_000]])),
    ]
    if make.has_zstd():
        rows += [
            ("zstd that is cut", "cut.tar.zst", zstd(root)[:-30_000]),
            ("a bomb", "bomb.tar.zst", bomb(data)),
            ("a bomb in a layer", "layer-bomb.tar", make.docker_save([bomb(data)])),
        ]
    for name, file, content in rows:
        answer = test.ask("--sysroot", test.write(file, content), "/bin/ls")
        faults = list(within_limits(answer))
        if answer.status != 2 or file not in answer.stderr:
            faults.append("no clear line")
        test.tap.ok(not faults, f"{file}: {name}", [*faults, *answer.details()] if faults else ())


TESTS = [
    test_packages,
    test_side_by_side,
    test_placeholder,
    test_sparse,
    test_roots,
    test_images,
    test_clear_lines,
    test_hostile_packages,
    test_hostile_images,
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument(
        "--only", default="*", metavar="GLOB", help="only the tests whose names match; some need earlier ones"
    )
    parser.add_argument("--keep", metavar="DIR", help="keep the files there")
    options = parser.parse_args()
    tap = Tap()
    cudald = os.path.abspath(options.cudald)
    if not os.access(cudald, os.X_OK):
        tap.bail_out(f"{cudald} is not a program")
    if shutil.which("gcc") is None:
        tap.bail_out("gcc is needed")
    with tempfile.TemporaryDirectory() as folder:
        if options.keep:
            folder = os.path.abspath(options.keep)
            os.makedirs(folder)
        test = Tester(tap, cudald, folder, options.only)
        for function in TESTS:
            if fnmatch.fnmatch(function.__name__, options.only):
                function(test)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
