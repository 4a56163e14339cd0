"""Makes conda packages and image tars from tiny libraries.

    make_packages.py FOLDER      everything there is, to look at

The libraries are built with gcc; a root file system is put together from this system's dynamic loader,
C library and `ls`. `extract` functions of other tools are not needed: the trees exist as folders first.
"""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile

MODULE = "lib/python3.11/site-packages/ext/_C.cpython-311-x86_64-linux-gnu.so"


# --- libraries ----------------------------------------------------------------------------------


def compile_library(path, code, soname=None, needed=(), runpath=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    command = [
        "gcc",
        "-shared",
        "-fPIC",
        "-nostdlib",
        "-Wl,--no-as-needed",
        "-Wl,--allow-shlib-undefined",
        "-Wl,--enable-new-dtags",
        "-Wl,--build-id=sha1",
        "-o",
        path,
        "-x",
        "c",
        "-",
        "-x",
        "none",
        *needed,
    ]
    if soname:
        command.append(f"-Wl,-soname,{soname}")
    if runpath:
        command.append(f"-Wl,-rpath,{runpath}")
    subprocess.run(command, input=code.encode(), check=True)


def make_prefix(folder):
    """A conda environment's worth of libraries: links of all kinds, and an extension module."""
    lib = os.path.join(folder, "lib")
    compile_library(f"{folder}/lib64/libmid.so.1.0", "int mid(void) { return 1; }", "libmid.so.1")
    os.makedirs(lib)
    os.symlink("../lib64/libmid.so.1.0", f"{lib}/libmid.so.1")
    os.link(f"{folder}/lib64/libmid.so.1.0", f"{lib}/libtwin-a.so")
    os.link(f"{folder}/lib64/libmid.so.1.0", f"{lib}/libtwin-b.so")
    compile_library(
        f"{lib}/libtop.so.1.2",
        "int mid(void); int top(void) { return mid(); }",
        "libtop.so.1",
        [f"{lib}/libmid.so.1"],
        "$ORIGIN",
    )
    os.symlink("libtop.so.1.2", f"{lib}/libtop.so.1")
    os.symlink("libtop.so.1", f"{lib}/libtop.so")
    os.symlink("loop-b.so", f"{lib}/loop-a.so")
    os.symlink("loop-a.so", f"{lib}/loop-b.so")
    # By name, as the twins have no soname of their own to be found by.
    twins = []
    for name in ("libtwin-a.so", "libtwin-b.so"):
        compile_library(f"{folder}/stub/{name}", "int unused;", name)
        twins.append(f"{folder}/stub/{name}")
    compile_library(
        f"{folder}/{MODULE}",
        "int top(void); int PyInit__C(void) { return top(); }",
        None,
        [f"{lib}/libtop.so.1", *twins],
        "$ORIGIN/../../..",
    )
    shutil.rmtree(f"{folder}/stub")
    # Larger than what is kept of a member without knowing better, and with tables at both ends.
    compile_library(
        f"{lib}/libbig.so",
        "char big[30 << 20] = {1}; int top(void); int call(void) { return top(); }",
        "libbig.so",
        [f"{lib}/libtop.so.1"],
        "$ORIGIN",
    )
    os.makedirs(f"{folder}/share/doc")
    with open(f"{folder}/share/doc/readme.txt", "w", encoding="ascii") as file:
        file.write("text\n" * 50_000)


# --- tars ---------------------------------------------------------------------------------------


def add(tar, name, data=b"", **fields):
    """One member made up by hand."""
    member = tarfile.TarInfo(name)
    member.size = len(data)
    member.mode = 0o755
    for field, value in fields.items():
        setattr(member, field, value)
    tar.addfile(member, io.BytesIO(data))


def tar_of(folder, extra=(), format=tarfile.GNU_FORMAT, names=None):
    """What is in a folder as a tar; `extra`: functions that add more."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as tar:
        if folder is not None:
            for name in names or sorted(os.listdir(folder)):
                tar.add(os.path.join(folder, name), name)
        for more in extra:
            more(tar)
    return out.getvalue()


def zstd(data, *options):
    return subprocess.run(
        ["zstd", "-q", "-c", *options], input=data, stdout=subprocess.PIPE, check=True
    ).stdout


def has_zstd():
    return shutil.which("zstd") is not None


COMPRESSIONS = {
    "": lambda data: data,
    ".gz": lambda data: gzip.compress(data, 1),
    ".bz2": bz2.compress,
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zst": zstd,
}


# --- conda packages -----------------------------------------------------------------------------


def index(name="tiny", version="1.2.3", build="h0_0", **more):
    return json.dumps(
        {"name": name, "version": version, "build": build, "depends": ["cudatoolkit >=11"], **more}
    )


def info_tar(text):
    return tar_of(None, [lambda tar: add(tar, "info/index.json", text.encode())])


def conda(pkg, info=None, name="tiny-1.2.3-h0_0", members=()):
    """The newer format: a zip of two tars."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("metadata.json", '{"conda_pkg_format_version": 2}')
        if pkg is not None:
            archive.writestr(f"pkg-{name}.tar.zst", pkg if pkg[:4] == b"\x28\xb5\x2f\xfd" else zstd(pkg))
        archive.writestr(f"info-{name}.tar.zst", zstd(info if info is not None else info_tar(index())))
        for member, data in members:
            archive.writestr(member, data)
    return out.getvalue()


def tar_bz2(folder, extra=(), text=None):
    """The older format: one tar, info/ in front."""
    first = io.BytesIO()
    with tarfile.open(fileobj=first, mode="w", format=tarfile.GNU_FORMAT) as tar:
        add(tar, "info/index.json", (text or index()).encode())
        for name in sorted(os.listdir(folder)) if folder else ():
            tar.add(os.path.join(folder, name), name)
        for more in extra:
            more(tar)
    return bz2.compress(first.getvalue())


# --- images -------------------------------------------------------------------------------------


def copy_with_links(path, root):
    """A file of this system, through its links, each of which is copied as it is."""
    for _ in range(40):
        parent = os.path.dirname(path)
        if os.path.realpath(parent) != parent:
            # A link above, such as /lib -> usr/lib.
            above = parent
            while not os.path.islink(above):
                above = os.path.dirname(above)
            copy_link(above, root)
            path = os.path.join(os.path.realpath(parent), os.path.basename(path))
            continue
        os.makedirs(root + parent, exist_ok=True)
        if not os.path.islink(path):
            shutil.copy2(path, root + path)
            return
        copy_link(path, root)
        path = os.path.normpath(os.path.join(parent, os.readlink(path)))


def copy_link(path, root):
    os.makedirs(root + os.path.dirname(path), exist_ok=True)
    if not os.path.lexists(root + path):
        os.symlink(os.readlink(path), root + path)


def make_root(folder):
    """Enough of this system to start `ls`, with some libraries of our own that ld.so.conf leads to."""
    listed = subprocess.run(["ldd", "/bin/ls"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    for path in ["/bin/ls", "/etc/ld.so.cache", *[word for word in listed if word.startswith("/")]]:
        copy_with_links(path, folder)
    os.makedirs(f"{folder}/etc", exist_ok=True)
    with open(f"{folder}/etc/ld.so.conf", "w", encoding="ascii") as file:
        file.write("/opt/tiny\n")
    compile_library(f"{folder}/opt/real/libtiny.so.1", "int tiny(void) { return 1; }", "libtiny.so.1")
    os.symlink("/opt/real", f"{folder}/opt/tiny")  # absolute: the tree's own /opt
    os.makedirs(f"{folder}/usr/local/lib", exist_ok=True)
    os.link(f"{folder}/opt/real/libtiny.so.1", f"{folder}/usr/local/lib/libtiny-hard.so")
    os.symlink("/../../../opt/tiny/libtiny.so.1", f"{folder}/usr/local/lib/libup.so")
    os.symlink("libself.so", f"{folder}/usr/local/lib/libself.so")
    needed = []
    for name in ("libtiny.so.1", "libtiny-hard.so", "libup.so", "libself.so"):
        compile_library(f"{folder}/stub/{name}", "int unused;", name)
        needed.append(f"{folder}/stub/{name}")
    subprocess.run(
        [
            "gcc",
            "-o",
            f"{folder}/usr/bin/app",
            "-x",
            "c",
            "-",
            "-x",
            "none",
            "-Wl,--no-as-needed",
            *needed,
            "-Wl,--allow-shlib-undefined",
        ],
        input=b"int main(void) { return 0; }",
        check=True,
    )
    shutil.rmtree(f"{folder}/stub")
    with open(f"{folder}/usr/bin/start", "w", encoding="ascii") as file:
        file.write("#!/usr/bin/env app\n")
    os.chmod(f"{folder}/usr/bin/start", 0o755)


def config(**more):
    return json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {
                "Env": ["PATH=/usr/local/bin:/usr/bin", "LD_LIBRARY_PATH=/opt/tiny:/usr/local/lib"],
                "Entrypoint": ["start"],
                "Cmd": ["-l"],
                "WorkingDir": "/opt",
                **more,
            },
        }
    ).encode()


def docker_save(layers, settings=None, images=1):
    """manifest.json and a folder for each layer; a layer that comes twice is a link, as docker writes it."""

    def members(tar):
        names, seen = [], {}
        for number, layer in enumerate(layers):
            name = f"layer{number}/layer.tar"
            if layer in seen:
                add(tar, name, type=tarfile.SYMTYPE, linkname=f"../{seen[layer]}")
            else:
                add(tar, name, layer)
            seen.setdefault(layer, name)
            names.append(name)
        add(tar, "config.json", settings or config())
        image = {"Config": "config.json", "RepoTags": ["tiny:1"], "Layers": names}
        add(tar, "manifest.json", json.dumps([image] * images).encode())

    return tar_of(None, [members])


def oci(layers, settings=None, architectures=("amd64",)):
    """An OCI layout: blobs by their hash, and an index with one manifest for each machine."""
    blobs = {}

    def blob(data, **more):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"digest": f"sha256:{digest}", "size": len(data), **more}

    manifests = []
    for architecture in architectures:
        text = (settings or config()).replace(b'"amd64"', f'"{architecture}"'.encode())
        own = layers if architecture == "amd64" else [tar_of(None, [lambda tar: add(tar, "other", b"x")])]
        manifest = {"schemaVersion": 2, "config": blob(text), "layers": [blob(layer) for layer in own]}
        manifests.append(
            blob(json.dumps(manifest).encode(), platform={"os": "linux", "architecture": architecture})
        )
    manifests.append(
        blob(b'{"layers": []}', platform={"os": "unknown", "architecture": "unknown"})
    )  # an attestation
    inner = blob(json.dumps({"manifests": manifests}).encode())

    def members(tar):
        add(tar, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}')
        add(tar, "index.json", json.dumps({"manifests": [inner]}).encode())
        for digest, data in sorted(blobs.items()):
            add(tar, f"blobs/sha256/{digest}", data)

    return tar_of(None, [members])


def main():
    folder = sys.argv[1]
    make_prefix(f"{folder}/prefix")
    make_root(f"{folder}/root")
    made = {
        "tiny-1.2.3-h0_0.conda": conda(tar_of(f"{folder}/prefix")),
        "tiny-1.2.3-h0_0.tar.bz2": tar_bz2(f"{folder}/prefix"),
        "docker.tar": docker_save([tar_of(f"{folder}/root")]),
        "oci.tar": oci([gzip.compress(tar_of(f"{folder}/root"), 1)]),
    }
    for suffix, compress in COMPRESSIONS.items():
        made[f"root.tar{suffix}"] = compress(tar_of(f"{folder}/root"))
    for name, data in made.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


if __name__ == "__main__":
    main()
