#!/usr/bin/env python3
"""Makes seeds for the targets of fuzz/readers.cc: files that a compiler, an archiver or ldconfig writes.

    seeds.py FOLDER

FOLDER/TARGET gets small, whole files of many kinds, from which libFuzzer finds more lines than from the hand-written
ones of fuzz/corpus; what cannot be made here is named, and left out. Trees of files have the form of made_tree.h.
tools/fuzz and tools/fuzz-coverage call it. Needs cc, zstd, bzip2 and ldconfig.
"""

import bz2
import gzip
import hashlib
import io
import json
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/common"))

import elf_file  # noqa: E402
from elf_writer import elf_bytes  # noqa: E402
from pe_writer import PeFile, sample  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

SITE = "/v/lib/python3.11/site-packages"

LIBRARY = """
#include <stddef.h>
extern void *dlopen(const char *, int); extern void *malloc(size_t); extern int answer(void) __attribute__((weak));
__thread int local = 3; int table[64] = {1}; static int hidden; int counted[300];
const char *const names[] = {"libother.so.1", "/usr/lib/libcuda.so.1", "libplain.so"};
__attribute__((constructor)) static void begin(void) { hidden++; }
static void *chosen(void) { return 0; }
void *picked(void) __attribute__((ifunc("choose")));
static void *choose(void) { return (void *)chosen; }
int f(int *p) { if (p != 0) *p = 12040; return 0; }
int g(int *p) { int *q = malloc(8); local += hidden; return f(p) + (answer ? answer() : 0) + *q + table[*p]; }
void *open_it(int i) { return dlopen(i > 1 ? "libopened.so.2" : names[i], 2); }
"""
OTHER = "int answer(void) { return 42; } int table[64] = {2};"
EXTENSION = """
typedef struct Object Object;
extern Object *PyModule_Create2(void *, int), *PyImport_ImportModule(const char *); extern int PyErr_Occurred(void);
extern void *PyModule_GetDict(Object *); extern Object *PyErr_SetString(Object *, const char *);
extern Object *PyExc_ImportError;
static char definition[104] = "m";
static Object *need(void) { return PyImport_ImportModule("numpy.core._multiarray_umath"); }
static int more(void) { return PyImport_ImportModule("other") ? 0 : -1; }
Object *PyInit__C(void) {
  Object *self = PyModule_Create2(definition, 1013);
  if (!need() || more() || PyErr_Occurred()) { PyErr_SetString(PyExc_ImportError, "no other"); return 0; }
  return PyModule_GetDict(self) ? self : 0;
}
"""
RUNTIME = """
int cudaRuntimeGetVersion(int *p) { if (p) *p = 12040; return 0; }
int cudaDriverGetVersion(int *p) { if (p) *p = 12040; return 0; }
int cudaMalloc(void **p, unsigned long n) { return 0; }
"""
CUDNN = "unsigned long cudnnGetVersion(void) { return 8907; } unsigned long cudnnGetCudartVersion(void) { return 12020; }"
DRIVER = """
int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *p) { if (p) *p = 12020; return 0; }
const char *const known = "nvidia-application-profiles-535.104.05";
"""
LOADER = r"""
const char words[] = "ld.so (Debian GLIBC 2.36-9) stable release version 2.36.\n"
  "\0/lib/x86_64-linux-gnu/\0/usr/lib/x86_64-linux-gnu/\0/lib/\0/usr/lib/\0\0/etc/ld.so.cache\0/etc/ld.so.preload\0";
void *get(void) { return (void *)words; }
"""
PROGRAM = "extern int g(int *); void _start(void) { int x = 0; g(&x); for (;;) ; }"
VERSIONS = "V1 { global: f; g; picked; open_it; local; table; local: *; }; V2 { global: counted; } V1;"


class Maker:
    """Compiles and archives in a folder of its own."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        (self.folder / "versions").write_text(VERSIONS)

    def build(self, name, source, *options):
        """The bytes of a shared library; empty if the compiler does not make it."""
        code = self.folder / f"{name}.c"
        code.write_text(source)
        out = self.folder / name
        done = subprocess.run(["cc", "-O1", "-fPIC", "-shared", "-nostdlib", "-Wl,-z,noseparate-code", "-w", "-o", out,
                               code, *options], cwd=self.folder, capture_output=True, check=False)
        if done.returncode != 0:
            print(f"# not made: {name}: {done.stderr.decode().splitlines()[-1:]}")
            return b""
        return out.read_bytes()

    def run(self, *command, given=b""):
        return subprocess.run(command, cwd=self.folder, input=given, stdout=subprocess.PIPE, check=True).stdout


def libraries(maker):
    """ELF and PE files by name, of all kinds that readers tell apart."""
    other = maker.build("libother.so.1", OTHER, "-Wl,-soname,libother.so.1", "-s")
    linked = ["libother.so.1", "-Wl,--no-as-needed", "-Wl,-soname,libx.so"]
    made = {
        "other": other,
        "full": maker.build("libx.so", LIBRARY, *linked, "-Wl,--version-script=versions", "-Wl,-rpath,$ORIGIN/../lib"),
        "stripped": maker.build("libs.so", LIBRARY, *linked, "-s", "-Wl,--hash-style=sysv", "-Wl,-z,now"),
        "relative": maker.build("libr.so", LIBRARY, *linked, "-Wl,-z,pack-relative-relocs", "-s"),
        "separate": maker.build("libsep.so", OTHER, "-Wl,-z,separate-code", "-Wl,-z,relro", "-s"),
        "stack": maker.build("libstack.so", OTHER, "-Wl,-z,execstack", "-s"),
        "old_path": maker.build("libp.so", OTHER, "-Wl,--disable-new-dtags", "-Wl,-rpath,/opt/a:/opt/b", "-s"),
        "filter": maker.build("libf.so", OTHER, "-Wl,-f,libother.so.1", "-Wl,-z,nodelete", "-Wl,-z,origin", "-s"),
        "extension": maker.build("_C.so", EXTENSION, "-Wl,--eh-frame-hdr", "-funwind-tables"),
        "runtime": maker.build("libcudart.so.12", RUNTIME, "-Wl,-soname,libcudart.so.12", "-s"),
        "cudnn": maker.build("libcudnn.so.8", CUDNN, "-Wl,-soname,libcudnn.so.8", "-s"),
        "driver": maker.build("libcuda.so.1", DRIVER, "-Wl,-soname,libcuda.so.1", "-s"),
        "loader": maker.build("ld.so", LOADER, "-Wl,-soname,ld-linux-x86-64.so.2", "-s"),
        "program": maker.build("program", PROGRAM, "-pie", "libx.so", "-Wl,-rpath,/opt/lib", "-Wl,--no-as-needed",
                               "-Wl,--dynamic-linker=/lib64/ld-linux-x86-64.so.2", "-Wl,--allow-shlib-undefined"),
        "small": elf_bytes(needed=["libc.so.6", "libother.so.1"], soname="libsmall.so", runpath="$ORIGIN"),
        "narrow": elf_bytes(needed=["libc.so.6"], bits=32, machine=elf_file.EM_386),
        "arm": elf_bytes(needed=["libc.so.6"], machine=elf_file.EM_AARCH64, auxiliaries=["liba.so"]),
        "starter": elf_bytes(needed=["libx.so"], program=True, rpath="/opt/$LIB:$ORIGIN"),
        "sample.dll": sample(),
        "with_context.dll": dll_with_context(),
    }
    return {name: data for name, data in made.items() if data}


def dll_with_context():
    """A DLL whose manifest asks for an assembly, with a version resource."""
    pe = PeFile()
    pe.imports([(b"api-ms-win-core-file-l1-1-0.dll", [b"CreateFileW"]), (b"VCRUNTIME140.dll", [b"memcpy", 3])])
    pe.exports(b"x.dll", [(b"PyInit__C", None), (b"fwd", b"other.#3")])
    pe.resource(24, 2, b"<?xml version='1.0'?>\n<assembly xmlns='urn:schemas-microsoft-com:asm.v1' manifestVersion='1.0'>"
                b"<file name='a.dll'/><dependency><dependentAssembly><assemblyIdentity type='win32' name='Microsoft.VC90"
                b".CRT' version='9.0.21022.8' processorArchitecture='amd64' publicKeyToken='1fc8b3b9a1e18e3b'/>"
                b"</dependentAssembly></dependency></assembly>")
    return pe.finish()


# --- packages ---------------------------------------------------------------------------------------


def wheels(maker, files):
    extension = files.get("extension", files["small"])
    members = {"m/__init__.py": "from ._C import f\nimport m.b\n", "m/_C.cpython-311-x86_64-linux-gnu.so": extension,
               "m/libother.so.1": files["other"], "m-1.0.data/scripts/tool": files["starter"],
               "m-1.0.data/purelib/extra.py": "x = 1\n", "m-1.0.dist-info/entry_points.txt":
               "[console_scripts]\nm = m:main\n", "m-1.0.dist-info/variant.json": json.dumps(
                   {"variants": {"abcd": {"nvidia": {"cuda": ["12"]}}}})}
    name = "m-1.0-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl"
    metadata = "Requires-Dist: numpy>=1.2,!=1.5; extra == 'a'\nRequires-Python: >=3.8\nProvides-Extra: a\n"
    made = {}
    for kind, method in {"deflated": zipfile.ZIP_DEFLATED, "stored": zipfile.ZIP_STORED}.items():
        made[kind] = pathlib.Path(write_wheel(maker.folder, name, members, method, metadata)).read_bytes()
    made["streamed"] = streamed_zip(members)
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
    base = {"etc": None, "etc/os-release": "ID=debian\nVERSION_ID=12\n", "lib": "-> usr/lib", "usr/lib/liba.so":
            files["small"], "usr/lib/libb.so": "= usr/lib/liba.so", "bin/p": files["starter"], "a" * 120 + "/b": "x"}
    over = {"etc/.wh.os-release": "", "usr/lib/.wh..wh..opq": "", "usr/lib/libc.so": files["small"], "bin/p": "#!/bin/sh"}
    layers = [tar_of(base), tar_of(over, tarfile.GNU_FORMAT)]
    config = json.dumps({"config": {"Entrypoint": ["/bin/p"], "Cmd": ["a"], "Env": ["PATH=/bin", "X=1"], "WorkingDir":
                                    "/w"}, "rootfs": {"diff_ids": []}}).encode()
    saved = {"manifest.json": json.dumps([{"Config": "c.json", "Layers": ["0/layer.tar", "1/layer.tar"]}]),
             "c.json": config, "0/layer.tar": layers[0], "1/layer.tar": layers[1]}
    made = {"rootfs": tar_of(base, tarfile.USTAR_FORMAT) if False else tar_of(base), "gnu": layers[1],
            "saved": tar_of(saved), "saved.gz": gzip.compress(tar_of(saved), mtime=0), "sparse": sparse_tar(maker)}
    for kind, pack in {"gzip": lambda data: gzip.compress(data, mtime=0),
                       "zstd": lambda data: maker.run("zstd", "-q", "-c", given=data)}.items():
        made["oci." + kind] = oci_image(config, [pack(layer) for layer in layers], kind)
    return made


def oci_image(config, layers, kind):
    def described(data, media):
        return {"mediaType": media, "digest": "sha256:" + sha256(data), "size": len(data)}

    image = "application/vnd.oci.image."
    manifest = json.dumps({"schemaVersion": 2, "config": described(config, image + "config.v1+json"), "layers":
                           [described(layer, f"{image}layer.v1.tar+{kind}") for layer in layers]}).encode()
    several = json.dumps({"schemaVersion": 2, "manifests": [
        {**described(manifest, image + "manifest.v1+json"), "platform": {"os": "linux", "architecture": "amd64"}},
        {"mediaType": image + "manifest.v1+json", "digest": "sha256:" + "0" * 64, "size": 1, "platform":
         {"os": "linux", "architecture": "arm64"}}]}).encode()
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
    paths = json.dumps({"paths": [{"_path": "lib/liba.so", "path_type": "hardlink", "prefix_placeholder": "/opt/holder",
                                   "file_mode": "binary"}, {"_path": "lib/libl.so", "path_type": "softlink"}]})
    info = tar_of({"info/index.json": index, "info/paths.json": paths, "info/has_prefix":
                   "/opt/holder binary lib/liba.so\n", "info/link.json": '{"noarch": {"type": "python"}}'})
    content = tar_of({"lib/liba.so": files["small"], "lib/libl.so": "-> liba.so", "bin/m": files["starter"],
                      "site-packages/m/__init__.py": "import ctypes\n", "lib/libh.so": "= lib/liba.so"})
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as package:
        package.writestr("metadata.json", '{"conda_pkg_format_version": 2}')
        for name, data in {"info": info, "pkg": content}.items():
            package.writestr(f"{name}-m-1.0-py311_0.tar.zst", maker.run("zstd", "-q", "-c", given=data))
    whole = tar_of({"info/index.json": index, "info/paths.json": paths, "lib/liba.so": files["small"]})
    return {"new": out.getvalue(), "old": bz2.compress(whole)}


# --- trees ------------------------------------------------------------------------------------------


def tree(question, files):
    parts = [question.encode()]
    for path, data in files.items():
        if isinstance(data, str) and data.startswith("-> "):
            parts.append(f"{path} {data}\n".encode())
        else:
            parts.append(path.encode() + b"\n" + (data.encode() if isinstance(data, str) else data))
    return b"\n%%\n".join(parts)


def cache_of(maker, files):
    """What ldconfig writes for a root with these libraries."""
    root = maker.folder / "root"
    for name in ("etc", "lib", "usr/lib"):
        (root / name).mkdir(parents=True, exist_ok=True)
    for name in ("full", "other", "runtime"):
        if name in files:
            (root / "usr/lib" / f"lib{name}.so.1").write_bytes(files[name])
    (root / "etc/ld.so.conf").write_text("/usr/lib\n")
    subprocess.run(["/sbin/ldconfig", "-r", root], check=True, capture_output=True)
    return (root / "etc/ld.so.cache").read_bytes()


def machine_trees(maker, files):
    version = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
    linux = {
        "/lib64/ld-linux-x86-64.so.2": files["loader"], "/usr/lib/libx.so": files["full"], "/lib": "-> usr/lib",
        "/usr/lib/libother.so.1": files["other"], "/usr/lib/libcuda.so.1": files["driver"],
        "/usr/lib/libcudart.so.12": files["runtime"], "/usr/local/cuda-12.4/lib64/libcudart.so.12": files["runtime"],
        "/usr/local/cuda-12.4/lib64/libcudnn.so.8": files["cudnn"], "/usr/local/cuda": "-> cuda-12.4",
        "/usr/local/cuda-12.4/version.json": '{"cuda": {"version": "12.4.1"}}',
        "/usr/local/cuda-11.0/version.txt": "CUDA Version 11.0.228\n",
        "/usr/local/cuda-10.0/include/cuda.h": "#define CUDA_VERSION 10000\n",
        "/proc/driver/nvidia/version": version, "/etc/os-release": "ID=ubuntu\nVERSION_ID=\"22.04\"\n",
        "/proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t NVIDIA A100\nGPU UUID: \t GPU-5e86e41f-8e3f-625d\n"
        "Device Minor: 0\n", "/sys/bus/pci/devices/0000:01:00.0/device": "0x20b0\n",
        "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n", "/dev/nvidia0": "",
        "/lib/modules/6.1.0/updates/dkms/nvidia.ko": b"\0version=535.104.05\0srcversion=AB\0", "/etc/ld.so.preload": "",
        "/etc/ld.so.conf": "include /etc/ld.so.conf.d/*.conf\n", "/etc/ld.so.conf.d/a.conf": "/usr/local/cuda/lib64\n",
        "/proc/self/mountinfo": "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n2 1 0:5 / /tmp rw,noexec - tmpfs tmpfs rw,noexec\n",
        f"{SITE}/torch-2.3.0+cu121.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.3.0+cu121\n",
        f"{SITE}/torch/version.py": "__version__ = '2.3.0+cu121'\ncuda: Optional[str] = '12.1'\n",
        f"{SITE}/tensorflow-2.15.0.dist-info/METADATA": "Name: tensorflow\nVersion: 2.15.0\n",
        f"{SITE}/tensorflow/python/platform/build_info.py": "build_info = {'cuda_version': '12.2', 'cudnn_version': '8'}\n",
        f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8": files["cudnn"], "/v/bin/python3": "", "/v/pyvenv.cfg": "home = /usr/bin\n",
        "/etc/pip.conf": "[global]\nindex-url = https://u:p@example.org/simple/\nkeyring-provider = import\n[install]\n"
        "extra-index-url =\n    https://b.example.org/simple\n    https://c.example.org/x\ntimeout: 20\ncert = /ca.pem\n",
        "/home/u/.netrc": "machine example.org login a password b\n",
    }
    with_cache = {**linux, "/etc/ld.so.cache": cache_of(maker, files)}
    uv = {"/w/pyproject.toml": "[tool.uv]\nindex-strategy = 'first-index'\nkeyring-provider = 'subprocess'\n[[tool.uv.index]]"
          "\nname = 'my'\nurl = 'https://u@example.org/simple'\nauthenticate = 'always'\n[[tool.uv.index]]\nurl = "
          "'https://d.example.org/simple'\ndefault = true\n", "/usr/bin/keyring": "#!/bin/sh\n",
          "/home/u/.config/uv/uv.toml": "index-url = 'https://e.example.org'\nextra-index-url = ['https://f.example.org']\n"}
    musl = {"/lib/ld-musl-x86_64.so.1": files["loader"], "/etc/ld-musl-x86_64.path": "/lib:/usr/lib\n",
            "/usr/lib/libx.so": files["full"], "/usr/lib/libh.so": "-> libx.so", "/usr/lib/broken.so": files["full"][:900]}
    stated = ("HOME=/home/u\nPATH=/usr/bin:/v/bin\nLD_LIBRARY_PATH=/usr/local/cuda/lib64:rel\nCUDA_HOME=/usr/local/cuda\n"
              "HTTP_PROXY=http://p:8080\nPIP_CERT=/ca.pem\n")
    return {"conf": tree(stated + "prefix /v", linux), "cache": tree(stated, with_cache), "musl": tree("", musl),
            "uv": tree("HOME=/home/u\nPATH=/usr/bin\nUV_INDEX=my=https://g.example.org/simple\nUV_INDEX_MY_USERNAME=a\n", uv),
            "pip": tree(stated + "PIP_KEYRING_PROVIDER=subprocess\nPIP_INDEX_URL=https://h.example.org/simple",
                        {**uv, "/w/pyproject.toml": ""})}


def described(files):
    """A description of a machine, as `cudald env --save` writes it."""
    row = {"path": ["/usr/lib/libother.so.1", "/lib/libo.so"], "soname": "libother.so.1", "needed": ["libc.so.6"],
           "runpath": ["$ORIGIN"], "defines": ["V1"], "wants": [["libc.so.6", "GLIBC_2.2.5", 2]], "flags": ["now"],
           "symbols": {"defined": [[18, 0, 2, 0, "AAAAAAAA"]], "asks": [[2, 0, ["f"]]]}}
    gpu = {"path": "/usr/lib/libcudart.so.12", "soname": "libcudart.so.12", "cuda": {"name": "cudart", "version": "12.4"},
           "gpu": {"sass": ["sm_90"], "ptx": ["compute_90"]}, "texts": {"names": ["libcuda.so.1"]}}
    return json.dumps({"schema": "cudald/host", "schema_version": "1.1", "platform": "linux-x86_64", "libc": "glibc-2.36",
                       "cpu": "x86-64-v3", "loaders": [{"path": "/lib64/ld-linux-x86-64.so.2", "version": "2.36",
                                                        "folders": ["/lib", "/usr/lib"]}],
                       "variables": {"LD_LIBRARY_PATH": "/opt/lib"}, "texts": {"/etc/ld.so.preload": ""},
                       "cache": [["libother.so.1", "/usr/lib/libother.so.1", 771]], "folders": ["/lib", "/usr/lib"],
                       "links": {"/lib64": "usr/lib64"}, "noexec": ["/tmp"], "libraries": [row, gpu,
                                                                                       {"path": "/x", "start": "!<arch>"}]})


def question_trees(maker, files):
    wheel = wheels(maker, files)["deflated"]
    linux = {"/w/p": files["program"], "/opt/lib/libx.so": files["full"], "/usr/lib/libother.so.1": files["other"],
             "/lib64/ld-linux-x86-64.so.2": files["loader"], "/etc/ld.so.preload": "libpre.so\n", "/lib": "-> usr/lib"}
    site = {f"{SITE}/m/__init__.py": "import ctypes, os\nfrom . import _C\nctypes.CDLL('libcudart.so.12')\n",
            f"{SITE}/m/_C.cpython-311-x86_64-linux-gnu.so": files["extension"], "/v/pyvenv.cfg": "home = /usr/bin\n",
            f"{SITE}/m-1.0.dist-info/RECORD": "m/__init__.py,sha256=00,1\nm/gone.so,,\n\"m/a,b.so\",sha256=x,2\n",
            f"{SITE}/m-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: m\nVersion: 1.0\nRequires-Dist: numpy<2\n",
            f"{SITE}/m-1.0.dist-info/WHEEL": "Tag: cp311-cp311-linux_x86_64\n", f"{SITE}/numpy/__init__.py": "",
            f"{SITE}/numpy-2.0.0.dist-info/METADATA": "Name: numpy\nVersion: 2.0.0\n", "/v/bin/python3": "",
            f"{SITE}/e.egg-link": "/w\n.", f"{SITE}/e.pth": "/w\n", "/usr/lib/libcudart.so.12": files["runtime"]}
    conda = {"/v/conda-meta/m-1.0-0.json": json.dumps({"name": "m", "version": "1.0", "build": "0", "channel": "https://c/",
                                                       "depends": ["libb >=2"], "files": ["lib/libx.so"]}),
             "/v/conda-meta/history": "", "/v/lib/libx.so": files["full"], "/v/bin/python3": "", "/v/bin/p": files["program"]}
    windows = {"/c/Windows/System32/kernel32.dll": sample(), "/c/app/x.exe": sample(), "/c/app/sample.dll": sample(),
               "/w/x.dll": dll_with_context(), "/w/cudart64_12.dll": sample(), "/v/python.exe": sample(),
               "/v/python311.dll": sample(), "/v/DLLs/_ctypes.pyd": sample(), "/v/Lib/os.py": "",
               "/v/Lib/site-packages/m/__init__.py": "from . import _C\n", "/v/Lib/site-packages/m/_C.cp311-win_amd64.pyd":
               dll_with_context()}
    packages = {"/w/m-1.0-cp311-cp311-linux_x86_64.whl": wheel, "/w/m-1.0-py311_0.conda": conda_packages(maker, files)["new"],
                "/w/n-2.0-py3-none-any.whl": wheels(maker, files)["stored"]}
    whole = {"program": ("/w/p\nconstants\nenv LD_LIBRARY_PATH=/opt/lib\ndlopen libother.so.1", linux),
             "secure": ("/w/p\nsecure\nenv LD_PRELOAD=libx.so:libother.so.1", linux),
             "import": ("py:m\nprefix /v\ngpu h100", site), "library": (f"{SITE}/m/_C.cpython-311-x86_64-linux-gnu.so\n"
                                                                     "prefix /v\nconstants", site),
             "conda": ("/v/bin/p\nprefix /v", conda), "dll": ("/w/x.dll\nwindows\nconstants", windows),
             "pyd": ("py:m\nprefix /v\nwindows\npython 3.11", windows),
             "wheel": ("/w/m-1.0-cp311-cp311-linux_x86_64.whl\nwith /w\nextra a", packages),
             "packages": ("py:m\nwith /w/m-1.0-py311_0.conda\nwith /w/m-1.0-cp311-cp311-linux_x86_64.whl", packages),
             "described": ("/w/p\nhost /host.json", {**linux, "/host.json": described(files)}),
             "npm": ("/w/node_modules/@a/b/build/x.node", {"/w/node_modules/@a/b/build/x.node": files["full"],
                                                           "/w/node_modules/@a/b/package.json": '{"version": "1"}'})}
    return {name: tree(*parts) for name, parts in whole.items()}


# --- the rest ---------------------------------------------------------------------------------------


def rewrites(maker, files):
    """The first byte chooses the edits, the second is the length of the new names."""
    made = {}
    for name in ("full", "stripped", "separate", "old_path", "program", "small", "narrow", "arm", "stack"):
        if name in files:
            for choice, length in ((1, 200), (1, 0), (2, 9), (2, 60), (4 | 8, 0), (16, 0), (1 | 2 | 4 | 8 | 16, 120)):
                made[f"{name}.{choice}.{length}"] = bytes([choice, length]) + files[name]
    for kind, data in wheels(maker, files).items():
        made["wheel." + kind] = bytes([0, 0]) + data
        made["without." + kind] = bytes([32, 0]) + data
    return made


LOCKS = {
    "report": json.dumps({"version": "1", "pip_version": "24.0", "install": [
        {"metadata": {"name": "m", "version": "1.0", "requires_dist": ["n>1; extra == 'a'"]}, "requested": True,
         "requested_extras": ["a"], "download_info": {"url": "https://example.org/m-1.0-py3-none-any.whl",
                                                      "archive_info": {"hashes": {"sha256": "00"}}}}],
                          "environment": {"python_version": "3.11"}}),
    "conda.yml": "version: 1\nmetadata:\n  platforms: [linux-64]\npackage:\n- name: m\n  version: '1.0'\n  manager: conda\n"
    "  platform: linux-64\n  dependencies: {n: '>=1'}\n  url: https://example.org/m-1.0-0.conda\n  hash: {sha256: '00'}\n"
    "- name: p\n  version: '2'\n  manager: pip\n  platform: linux-64\n  url: https://example.org/p-2-py3-none-any.whl\n",
    "explicit": "# platform: linux-64\n@EXPLICIT\nhttps://example.org/linux-64/m-1.0-py311_0.conda#" + "0" * 32 + "\n",
    "pylock": "lock-version = '1.0'\nrequires-python = '>=3.9'\nextras = ['a']\ndefault-groups = ['dev']\n[[packages]]\n"
    "name = 'm'\nversion = '1.0'\nmarker = \"sys_platform == 'linux' and 'a' in extras\"\n[[packages.wheels]]\nname = "
    "'m-1.0-py3-none-any.whl'\nurl = 'https://example.org/m.whl'\nsize = 3\nhashes = {sha256 = '00'}\n[packages.sdist]\n"
    "name = 'm-1.0.tar.gz'\npath = 'm-1.0.tar.gz'\n",
    "uv": "version = 1\nrequires-python = '>=3.9'\n[[package]]\nname = 'root'\nversion = '0'\nsource = { virtual = '.' }\n"
    "dependencies = [{ name = 'm', marker = \"python_full_version < '4'\", extra = ['x'] }]\n[package.optional-dependencies]"
    "\na = [{ name = 'n' }]\n[package.dev-dependencies]\ndev = [{ name = 'n' }]\n[[package]]\nname = 'm'\nversion = '1.0'\n"
    "source = { registry = 'https://example.org/simple' }\nsdist = { url = 'https://e/m.tar.gz', hash = 'sha256:00' }\n"
    "wheels = [{ url = 'https://e/m-1.0-py3-none-any.whl', hash = 'sha256:00', size = 3 }]\n[[package]]\nname = 'n'\n"
    "version = '2'\nsource = { registry = '/w/wheels' }\nwheels = [{ path = 'n-2-py3-none-any.whl' }]\n",
    "requirements": "--index-url https://u:p@example.org/simple\n--extra-index-url ${URL}\n-f ./wheels\n-r more.txt\n-c c.txt\n"
    "m[a,b]==1.0 ; python_version < '4' \\\n    --hash=sha256:" + "0" * 64 + "\nn @ https://e/n-2-py3-none-any.whl#sha256=00\n"
    "./p-3-py3-none-any.whl  # here\no===4.0.post1\n",
}
INDEX = {
    "page.json": json.dumps({"meta": {"api-version": "1.1"}, "name": "m", "files": [
        {"filename": f"m-{version}-{tags}.whl", "url": f"../m-{version}.whl", "hashes": {"sha256": "0" * 64}, "size": 5,
         "requires-python": ">=3.8", "yanked": yanked, "core-metadata": {"sha256": "1" * 64}}
        for version, tags, yanked in (("1.0", "py3-none-any", False), ("1.1rc1", "cp311-cp311-linux_x86_64", "bad"),
                                      ("2.0", "cp311-abi3-manylinux_2_17_x86_64", True))]}),
    "page.html": "<!DOCTYPE html><html><head><base href='https://e/x/'></head><body><a href=\"../m-1.0-py3-none-any.whl#sha256="
    + "0" * 64 + "\" data-requires-python=\"&gt;=3.8\" data-yanked='bad' data-core-metadata=\"sha256=00\">m</a><br/><a href=m-2.0-"
    "cp311-cp311-win_amd64.whl>m &amp; n</a></body></html>",
    "netrc": "machine example.org login \"a b\" password c\ndefault login d password e\nmacdef x\n\nmachine f account g\n",
}
METADATA = {
    "full": "Metadata-Version: 2.4\nName: A.b_C\nVersion: 1!2.0rc1.post3.dev4+cu12.1\nRequires-Dist: numpy (>=1.2,~=1.4) ; "
    "python_version < '3.9' and (extra == 'a' or sys_platform != 'win32')\nRequires-Dist: m[x,y] @ https://e/m.whl ; "
    "platform_machine in 'x86_64 aarch64'\nProvides-Extra: a\nRequires-Python: !=3.0.*,>=3.8\nDynamic: X\n\nText\n",
    "requirement": "m[x,y]>=1.0,!=1.*,===2.0.dev1,<3,~=2.1.3; python_full_version >= '3.7.1' or 'linux' in platform_system",
    "version": "v1.0.0-alpha_3-7+local.5", "mangled": "_ZNSt6vectorIiSaIiEE9push_backEOi",
    "record": "m/__init__.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n\"a,\"\"b.so\",md5=x,1\nm/x.pyc,,\n",
}


def seeds(maker):
    files = libraries(maker)
    return {
        "library": files, "wheel": wheels(maker, files), "tar": images(maker, files), "conda": conda_packages(maker, files),
        "rewrite": rewrites(maker, files), "question": question_trees(maker, files), "machine": machine_trees(maker, files),
        "host": {"linux": described(files)}, "lock": LOCKS, "index": INDEX, "metadata": METADATA,
        "cache": {"made": cache_of(maker, files), "old": b"ld.so-1.7.0\0" + struct.pack("<I", 0)},
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        for target, made in seeds(Maker(scratch)).items():
            folder = pathlib.Path(sys.argv[1]) / target
            os.makedirs(folder, exist_ok=True)
            for name, data in made.items():
                (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)


if __name__ == "__main__":
    main()
