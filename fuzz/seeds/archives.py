"""Wheels, packages of conda, tars and images, whole ones and strange ones."""

import bz2
import gzip
import hashlib
import io
import json
import pathlib
import re
import struct
import tarfile
import warnings
import zipfile

import places  # noqa: F401
from wheel_writer import write_wheel


def wheels(maker, files):
    extension = files.get("extension", files["small"])
    members = {
        "m/__init__.py": "from ._C import f\nimport m.b\n",
        "m/_C.cpython-311-x86_64-linux-gnu.so": extension,
        "m/libother.so.1": files["other"],
        "m-1.0.data/scripts/tool": files["starter"],
        "m-1.0.data/purelib/extra.py": "x = 1\n",
        "m-1.0.dist-info/entry_points.txt": "[console_scripts]\nm = m:main\n",
        "m-1.0.dist-info/variant.json": json.dumps({"variants": {"abcd": {"nvidia": {"cuda": ["12"]}}}}),
    }
    name = "m-1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    metadata = "Requires-Dist: numpy>=1.2,!=1.5; extra == 'a'\nRequires-Python: >=3.8\nProvides-Extra: a\n"
    made = {}
    for kind, method in {"deflated": zipfile.ZIP_DEFLATED, "stored": zipfile.ZIP_STORED}.items():
        made[kind] = pathlib.Path(write_wheel(maker.folder, name, members, method, metadata)).read_bytes()
    made["streamed"] = streamed_zip(members)
    made["large"] = large_wheel(maker, extension)
    made["large_end"] = with_large_end(made["stored"])
    made["strange"] = strange_zip(extension)
    made["commented"] = made["stored"][:-2] + b"\3\0abc"
    made["prefixed"] = b"#!/bin/sh\n" + made["stored"]
    return made


def streamed_zip(members):
    """With data descriptors, and entries of the large form."""

    class Pipe(io.RawIOBase):
        def __init__(self):
            self.data = b""

        def writable(self):
            return True

        def write(self, data):
            self.data += bytes(data)
            return len(data)

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in members.items():
            with out.open(zipfile.ZipInfo(name), "w", force_zip64=True) as member:
                member.write(data.encode() if isinstance(data, str) else data)
    return pipe.data


def strange_zip(library):
    """Names that no installer takes, one name twice, links, methods and flags that are not known."""
    out = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")
        for name in (
            "../up.so",
            "/root.so",
            "a//b.so",
            "a/./c.so",
            "A.so",
            "a.so",
            "a.so",
            "folder/",
            "folder",
            "c:\\d.so",
            "\u00e9.so",
            "x" * 300 + ".so",
            "nul\1.so",
            "m-1.0.dist-info/RECORD",
            "n-2.0.dist-info/WHEEL",
        ):
            archive.writestr(name, library[:600])
        link = zipfile.ZipInfo("link.so")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../../etc/passwd")
        archive.writestr("packed.so", bytes(1 << 20))
        archive.writestr("bzip.so", library, zipfile.ZIP_BZIP2)
        archive.writestr("unicode.so", library[:99])
    data = bytearray(out.getvalue())
    starts = [at.start() for at in re.finditer(re.escape(b"PK\1\2"), data)]
    for at, field, value in zip(starts, (8, 10, 24, 20, 42, 16, 34), (1, 99, 7, 1, 3, 5, 1)):
        data[at + field] ^= value  # flags, method, size, compressed size, offset, checksum, disk
    return bytes(data)


def large_wheel(maker, library):
    """Members of several megabytes, of which inflating can start again in the middle."""
    large = library + b"".join(hashlib.sha256(bytes([i % 251])).digest() for i in range(251)) * 600
    return pathlib.Path(write_wheel(maker.folder, "l-1.0-cp311-cp311-linux_x86_64.whl", {"l.so": large})).read_bytes()


def with_large_end(archive):
    """The same archive with an end record of the large form (APPNOTE 4.3.14)."""
    end = archive.rindex(b"PK\5\6")
    count, size, start = struct.unpack_from("<HII", archive, end + 10)
    large = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 45, 45, 0, 0, count, count, size, start)
    locator = struct.pack("<4sIQI", b"PK\6\7", 0, end, 1)
    short = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    return archive[:end] + large + locator + short


def tar_of(members, kind=tarfile.PAX_FORMAT):
    """`members`: name -> bytes, or "-> target" for a symbolic link, "= name" for a hard one, None for a folder."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=kind) as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.mode = 0o755
            if data is None:
                info.type = tarfile.DIRTYPE
            elif isinstance(data, str) and data.startswith("-> "):
                info.type, info.linkname = tarfile.SYMTYPE, data[3:]
            elif isinstance(data, str) and data.startswith("= "):
                info.type, info.linkname = tarfile.LNKTYPE, data[2:]
            else:
                data = data.encode() if isinstance(data, str) else data
                info.size = len(data)
            tar.addfile(info, io.BytesIO(data) if info.isreg() else None)
    return out.getvalue()


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def images(maker, files):
    base = {
        "etc": None,
        "etc/os-release": "ID=debian\nVERSION_ID=12\n",
        "lib": "-> usr/lib",
        "usr/lib/liba.so": files["small"],
        "usr/lib/libb.so": "= usr/lib/liba.so",
        "bin/p": files["starter"],
        "a" * 120 + "/b": "x",
    }
    over = {
        "etc/.wh.os-release": "",
        "usr/lib/.wh..wh..opq": "",
        "usr/lib/libc.so": files["small"],
        "bin/p": "#!/bin/sh",
    }
    layers = [tar_of(base), tar_of(over, tarfile.GNU_FORMAT)]
    config = json.dumps(
        {
            "config": {"Entrypoint": ["/bin/p"], "Cmd": ["a"], "Env": ["PATH=/bin", "X=1"], "WorkingDir": "/w"},
            "rootfs": {"diff_ids": []},
        }
    ).encode()
    saved = {
        "manifest.json": json.dumps([{"Config": "c.json", "Layers": ["0/layer.tar", "1/layer.tar"]}]),
        "c.json": config,
        "0/layer.tar": layers[0],
        "1/layer.tar": layers[1],
    }
    made = {
        "rootfs": tar_of(base),
        "gnu": layers[1],
        "saved": tar_of(saved),
        "saved.gz": gzip.compress(tar_of(saved), mtime=0),
        "sparse": sparse_tar(maker),
    }
    for kind, pack in {
        "gzip": lambda data: gzip.compress(data, mtime=0),
        "zstd": lambda data: maker.run("zstd", "-q", "-c", given=data),
    }.items():
        made["oci." + kind] = oci_image(config, [pack(layer) for layer in layers], kind)
    return made


def oci_image(config, layers, kind):
    def described(data, media):
        return {"mediaType": media, "digest": "sha256:" + sha256(data), "size": len(data)}

    image = "application/vnd.oci.image."
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "config": described(config, image + "config.v1+json"),
            "layers": [described(layer, f"{image}layer.v1.tar+{kind}") for layer in layers],
        }
    ).encode()
    several = json.dumps(
        {
            "schemaVersion": 2,
            "manifests": [
                {
                    **described(manifest, image + "manifest.v1+json"),
                    "platform": {"os": "linux", "architecture": "amd64"},
                },
                {
                    "mediaType": image + "manifest.v1+json",
                    "digest": "sha256:" + "0" * 64,
                    "size": 1,
                    "platform": {"os": "linux", "architecture": "arm64"},
                },
            ],
        }
    ).encode()
    index = json.dumps({"schemaVersion": 2, "manifests": [described(several, image + "index.v1+json")]})
    blobs = {"blobs/sha256/" + sha256(data): data for data in [config, manifest, several, *layers]}
    return tar_of({"oci-layout": '{"imageLayoutVersion": "1.0.0"}', "index.json": index, **blobs})


def sparse_tar(maker):
    with open(maker.folder / "holes", "wb") as file:
        file.write(b"begin")
        file.seek(1 << 20)
        file.write(b"end")
    return maker.run("tar", "--sparse", "--format=gnu", "-cf", "-", "holes")


def conda_packages(maker, files):
    index = json.dumps({"name": "m", "version": "1.0", "build": "py311_0", "depends": ["python >=3.11", "libb"]})
    paths = json.dumps(
        {
            "paths": [
                {
                    "_path": "lib/liba.so",
                    "path_type": "hardlink",
                    "prefix_placeholder": "/opt/holder",
                    "file_mode": "binary",
                },
                {"_path": "lib/libl.so", "path_type": "softlink"},
            ]
        }
    )
    info = tar_of(
        {
            "info/index.json": index,
            "info/paths.json": paths,
            "info/has_prefix": "/opt/holder binary lib/liba.so\n",
            "info/link.json": '{"noarch": {"type": "python"}}',
        }
    )
    content = tar_of(
        {
            "lib/liba.so": files["small"],
            "lib/libl.so": "-> liba.so",
            "bin/m": files["starter"],
            "lib/libfar.so": files["full"] + bytes(3 << 20),
            "site-packages/m/__init__.py": "import ctypes\n",
            "lib/libh.so": "= lib/liba.so",
        }
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as package:
        package.writestr("metadata.json", '{"conda_pkg_format_version": 2}')
        for name, data in {"info": info, "pkg": content}.items():
            package.writestr(f"{name}-m-1.0-py311_0.tar.zst", maker.run("zstd", "-q", "-c", given=data))
    whole = tar_of({"info/index.json": index, "info/paths.json": paths, "lib/liba.so": files["small"]})
    return {"new": out.getvalue(), "old": bz2.compress(whole)}
