"""Trees of files, in the form of made_tree.h: machines, environments, and questions about them."""

import json
import re
import subprocess

from places import ROOT
from archives import conda_packages, wheels
from idioms import parts
from pe_writer import sample
from compiled import dll_with_context

SITE = "/v/lib/python3.11/site-packages"


def tree(question, files):
    pieces = [question.encode()]
    for path, data in files.items():
        if isinstance(data, str) and data.startswith("-> "):
            pieces.append(f"{path} {data}\n".encode())
        else:
            pieces.append(path.encode() + b"\n" + (data.encode() if isinstance(data, str) else data))
    return b"\n%%\n".join(pieces)


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
        "/lib64/ld-linux-x86-64.so.2": files["loader"],
        "/usr/lib/libx.so": files["full"],
        "/lib": "-> usr/lib",
        "/usr/lib/libother.so.1": files["other"],
        "/usr/lib/libcuda.so.1": files["driver"],
        "/usr/lib/libcudart.so.12": files["runtime"],
        "/usr/local/cuda-12.4/lib64/libcudart.so.12": files["runtime"],
        "/usr/local/cuda-12.4/lib64/libcudnn.so.8": files["cudnn"],
        "/usr/local/cuda": "-> cuda-12.4",
        "/usr/local/cuda-12.4/version.json": '{"cuda": {"version": "12.4.1"}}',
        "/usr/local/cuda-11.0/version.txt": "CUDA Version 11.0.228\n",
        "/usr/local/cuda-10.0/include/cuda.h": "#define CUDA_VERSION 10000\n",
        "/proc/driver/nvidia/version": version,
        "/etc/os-release": 'ID=ubuntu\nVERSION_ID="22.04"\n',
        "/proc/driver/nvidia/gpus/0000:01:00.0/information": "Model: \t NVIDIA A100\n"
        "GPU UUID: \t GPU-5e86e41f-8e3f-625d\nDevice Minor: 0\n",
        "/sys/bus/pci/devices/0000:01:00.0/device": "0x20b0\n",
        "/sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de\n",
        "/dev/nvidia0": "",
        "/lib/modules/6.1.0/updates/dkms/nvidia.ko": b"\0version=535.104.05\0srcversion=AB\0",
        "/etc/ld.so.preload": "",
        "/etc/ld.so.conf": "include /etc/ld.so.conf.d/*.conf\n",
        "/etc/ld.so.conf.d/a.conf": "/usr/local/cuda/lib64\n",
        "/proc/self/mountinfo": "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
        "2 1 0:5 / /tmp rw,noexec - tmpfs tmpfs rw,noexec\n",
        f"{SITE}/torch-2.3.0+cu121.dist-info/METADATA": "Metadata-Version: 2.1\nName: torch\nVersion: 2.3.0+cu121\n",
        f"{SITE}/torch/version.py": "__version__ = '2.3.0+cu121'\ncuda: Optional[str] = '12.1'\n",
        f"{SITE}/tensorflow-2.15.0.dist-info/METADATA": "Name: tensorflow\nVersion: 2.15.0\n",
        f"{SITE}/tensorflow/python/platform/build_info.py": "b = {'cuda_version': '12.2', 'cudnn_version': '8'}\n",
        f"{SITE}/nvidia/cudnn/lib/libcudnn.so.8": files["cudnn"],
        "/v/bin/python3": "",
        "/v/pyvenv.cfg": "home = /usr/bin\n",
        "/etc/pip.conf": "[global]\nindex-url = https://u:p@example.org/simple/\nkeyring-provider = import\n[install]\n"
        "extra-index-url =\n    https://b.example.org/simple\n    https://c.example.org/x\n"
        "timeout: 20\ncert = /ca.pem\n",
        "/home/u/.netrc": "machine example.org login a password b\n",
    }
    with_cache = {**linux, "/etc/ld.so.cache": cache_of(maker, files)}
    module = {path: data for path, data in linux.items() if "libcuda.so" not in path and "/proc/driver" not in path}
    module.update(
        {
            "/usr/local/cuda-12.4/lib64/stubs/libcuda.so": files["stub"],
            "/opt/lib/libcuda.so.1": files["stub"],
            "/opt/lib/libcudart.so.12": files["newer_runtime"],
            "/opt/lib/libcudnn_ops.so.9": files["newer_cudnn"],
            "/opt/lib/libgpu.so": (ROOT / "fuzz/corpus/library/gpu").read_bytes(),
            "/opt/lib/libtext.so": "INPUT(libx.so)",
            "/opt/lib/libnarrow.so": files["narrow"],
            "/opt/lib/libdamaged.so": files["full"][:3000],
            "/etc/ld.so.cache": b"ld.so-1.7.0\0damaged",
            "/etc/ld.so.conf": "/opt/lib\n",
            "/etc/ld.so.preload": "a b:c # d\n",
            "/lib64/ld-linux-x86-64.so.2": files["loader"].replace(b"/etc/ld.so.cache", b"/nix/ld.so.cache"),
            "/sys/bus/pci/devices/0000:02:00.0/vendor": "0x10de\n",
            "/sys/bus/pci/devices/0000:02:00.0/device": "0xffff\n",
        }
    )
    uv = {
        "/w/pyproject.toml": "[tool.uv]\nindex-strategy = 'first-index'\nkeyring-provider = 'subprocess'\n"
        "[[tool.uv.index]]"
        "\nname = 'my'\nurl = 'https://u@example.org/simple'\nauthenticate = 'always'\n[[tool.uv.index]]\nurl = "
        "'https://d.example.org/simple'\ndefault = true\n",
        "/usr/bin/keyring": "#!/bin/sh\n",
        "/home/u/.config/uv/uv.toml": "index-url = 'https://e.example.org'\n"
        "extra-index-url = ['https://f.example.org']\n",
    }
    musl = {
        "/lib/ld-musl-x86_64.so.1": files["loader"],
        "/etc/ld-musl-x86_64.path": "/lib:/usr/lib\n",
        "/usr/lib/libx.so": files["full"],
        "/usr/lib/libh.so": "-> libx.so",
        "/usr/lib/broken.so": files["full"][:900],
    }
    stated = (
        "HOME=/home/u\nPATH=/usr/bin:/v/bin\nLD_LIBRARY_PATH=/usr/local/cuda/lib64:rel\nCUDA_HOME=/usr/local/cuda\n"
        "HTTP_PROXY=http://p:8080\nPIP_CERT=/ca.pem\n"
    )
    compat = {path: data for path, data in linux.items() if path != "/usr/lib/libcuda.so.1"}
    compat.update(
        {
            "/usr/local/cuda-12.4/compat/libcuda.so.1": files["driver"],
            "/etc/ld.so.cache": "",
            "/etc/ld.so.conf": "/usr/local/cuda-12.4/compat\n/opt/lib\n",
            "/opt/lib/libcudart.so.12": files["newer_runtime"],
            "/proc/driver/nvidia/version": version.replace("535.104.05", "525.60.13"),
            "/opt/lib/libcudnn_ops.so.9": files["newer_cudnn"],
            "/opt/lib/libcudnn.so.9": files["cudnn"],
        }
    )
    lock = (
        "index https://${USER}:${TOKEN}@i.example.org/simple\nindex ${NONE}\nUSER=u\n"
        "UV_INDEX_STRATEGY=unsafe-best-match\n"
        "VIRTUAL_ENV=/v\nPIP_CONFIG_FILE=/own.conf\nCUDA_VISIBLE_DEVICES=GPU-1,0\nLD_LIBRARY_PATH=/opt/lib::\n"
    )
    return {
        "conf": tree(stated + "prefix /v", linux),
        "module": tree(lock, module),
        "compat": tree(lock + "prefix /v", compat),
        "cache": tree(stated, with_cache),
        "musl": tree("", musl),
        "uv": tree(
            "HOME=/home/u\nPATH=/usr/bin\nUV_INDEX=my=https://g.example.org/simple\nUV_INDEX_MY_USERNAME=a\n", uv
        ),
        "pip": tree(
            stated + "PIP_KEYRING_PROVIDER=subprocess\nPIP_INDEX_URL=https://h.example.org/simple",
            {**uv, "/w/pyproject.toml": ""},
        ),
    }


def described(files):
    """A description of a machine, as `cudald env --save` writes it."""
    row = {
        "path": ["/usr/lib/libother.so.1", "/lib/libo.so"],
        "soname": "libother.so.1",
        "needed": ["libc.so.6"],
        "runpath": ["$ORIGIN"],
        "defines": ["V1"],
        "wants": [["libc.so.6", "GLIBC_2.2.5", 2]],
        "flags": ["now"],
        "symbols": {"defined": [[18, 0, 2, 0, "AAAAAAAA"]], "asks": [[2, 0, ["f"]]]},
    }
    gpu = {
        "path": "/usr/lib/libcudart.so.12",
        "soname": "libcudart.so.12",
        "cuda": {"kind": "cudart", "version": "12.4", "major": 12, "stub": True, "evidence": ["f"]},
        "gpu": {
            "sass": {"sm_90a": 2},
            "ptx": {"sm_90": 1},
            "registered": True,
            "entries": 3,
            "defects": [["damaged", False, 8]],
        },
        "also": ["/lib/libcudart.so"],
        "opens": {"by": "dlopen", "names": [["libcuda.so.1", 64]], "incomplete": True},
        "machine": [62, 64, "little"],
        "defects": [["cut", True, None]],
        "segments": [[0, 0, 4096, 4096, 4096]],
        "stack": "executable",
        "static_tls": True,
        "flags_1": 8,
        "abi_note": [0, 3, 2, 0],
        "isa_needed": 4,
        "dlopen_notes": [[["liba.so"], "a", "b", "required"]],
        "header": [True, 2, 1, 1, True, 1, True, True],
        "needed_by": 1,
        "wants": [["libc.so.6", "GLIBC_2.2.5", 65538]],
    }
    return json.dumps(
        {
            "schema": "cudald/host",
            "schema_version": "1.1",
            "platform": "linux-x86_64",
            "libc": "glibc-2.36",
            "cpu": "x86-64-v3",
            "loaders": [{"path": "/lib64/ld-linux-x86-64.so.2", "version": "2.36", "folders": ["/lib", "/usr/lib"]}],
            "variables": {"LD_LIBRARY_PATH": "/opt/lib"},
            "texts": {"/etc/ld.so.preload": ""},
            "cache": [["libother.so.1", "/usr/lib/libother.so.1", 771]],
            "folders": ["/lib", "/usr/lib"],
            "links": {"/lib64": "usr/lib64"},
            "noexec": ["/tmp"],
            "libraries": [
                row,
                gpu,
                {"path": "/x", "no_elf": 9, "text": "!<arch>", "header": [True, 2, 1, 1, True, 1, True, True]},
            ],
        }
    )


def staged_imports(files):
    """The ways of tests/python/idioms as trees: the module to import, then the files of site-packages."""
    for path in sorted((ROOT / "tests/python/idioms").glob("*.txt")):
        text = path.read_text()
        module = re.search(r"^# import: (.+)$", text, re.MULTILINE)
        if not module:
            continue
        made = {}
        for name, kind, content in parts(text):
            made[name] = files["extension"] if kind.startswith("module") else files["small"] if kind else content
        yield path.stem, module.group(1), made


def import_trees(files):
    return {
        name: tree(f"# import: {module}\n", {f"/s/{path}": data for path, data in made.items()})
        for name, module, made in staged_imports(files)
    }


def environment_trees(maker, files):
    """Installed distributions that lack, alter and oppose one another's files and releases."""

    def info(name, version, *requires):
        return "".join(
            f"{line}\n"
            for line in (
                "Metadata-Version: 2.1",
                f"Name: {name}",
                f"Version: {version}",
                *(f"Requires-Dist: {one}" for one in requires),
            )
        )

    made = {
        f"{SITE}/m-1.0.dist-info/METADATA": info(
            "m",
            "1.0",
            "n>=1,<=1",
            "n<1.5,>=1.2",
            "o==1.0; extra == 'all'",
            "p>2; python_version < '4'",
            "torch==2.8.0",
            "q @ https://e/q.whl",
        ),
        f"{SITE}/m-1.0.dist-info/RECORD": "m/__init__.py,sha256=00,5\n"
        "m/_C.cpython-311-x86_64-linux-gnu.so,sha256=00,9\n"
        "m/gone.py,,\nm/sub/__init__.py,,\n../../../bin/m,,\n"
        'm.libs/libgone.so.1,sha256=0,3\n"m/a,b.so",,\n_private.py,,\n',
        f"{SITE}/m-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nTag: cp311-cp311-manylinux_2_17_x86_64\n"
        "Tag: cp311-none-any\n",
        f"{SITE}/m/__init__.py": "x",
        f"{SITE}/m/_C.cpython-311-x86_64-linux-gnu.so": files["small"],
        f"{SITE}/n-2.0.dist-info/METADATA": info("n", "2.0", "m>=2", "m<0.5", "o>=1.0,<2.7"),
        f"{SITE}/n.py": "",
        f"{SITE}/o-0.9+cu118.dist-info/METADATA": info("o", "0.9+cu118"),
        f"{SITE}/single.abi3.so": files["small"],
        f"{SITE}/torch-2.3.0.dist-info/METADATA": info("torch", "2.3.0"),
        f"{SITE}/torch/version.py": "cuda = '12.1'\n",
        "/v/conda-meta/history": "",
        "/v/pyvenv.cfg": "home = /usr/bin\n",
        "/v/conda-meta/n-2.0-0.json": json.dumps(
            {
                "name": "n",
                "version": "2.0",
                "channel": "https://conda.example.org/bioconda/linux-64",
                "depends": ["libfoo >=2,<3", "python"],
                "files": ["lib/libfoo.so", "lib/m"],
            }
        ),
    }
    wheel = wheels(maker, files)["stored"]
    pool = {
        "/w/m-1.0-cp311-cp311-manylinux_2_17_x86_64.whl": wheel,
        "/w/m-2.0rc1-py3-none-any.whl": wheel,
        "/w/n_x-3-2-cp39-abi3-musllinux_1_1_x86_64.whl": wheel,
        "/w/bad.whl": "x",
    }
    names = "m\nn\no\ntorch\nm.gone\nm.sub\nlibgone.so.1\nm/_C.cpython-311-x86_64-linux-gnu.so\nlibfoo.so\n@a/b/c.node"
    return {"installed": tree(names, made), "pool": tree(names + "\nn-x", pool)}


def question_trees(maker, files):
    wheel = wheels(maker, files)["deflated"]
    linux = {
        "/w/p": files["program"],
        "/opt/lib/libx.so": files["full"],
        "/usr/lib/libother.so.1": files["other"],
        "/lib64/ld-linux-x86-64.so.2": files["loader"],
        "/etc/ld.so.preload": "libpre.so\n",
        "/lib": "-> usr/lib",
    }
    site = {
        f"{SITE}/m/__init__.py": "import ctypes, os\nfrom . import _C\nctypes.CDLL('libcudart.so.12')\n",
        f"{SITE}/m/_C.cpython-311-x86_64-linux-gnu.so": files["extension"],
        "/v/pyvenv.cfg": "home = /usr/bin\n",
        f"{SITE}/m-1.0.dist-info/RECORD": 'm/__init__.py,sha256=00,1\nm/gone.so,,\n"m/a,b.so",sha256=x,2\n',
        f"{SITE}/m-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: m\nVersion: 1.0\nRequires-Dist: numpy<2\n",
        f"{SITE}/m-1.0.dist-info/WHEEL": "Tag: cp311-cp311-linux_x86_64\n",
        f"{SITE}/numpy/__init__.py": "",
        f"{SITE}/numpy-2.0.0.dist-info/METADATA": "Name: numpy\nVersion: 2.0.0\n",
        "/v/bin/python3": "",
        f"{SITE}/e.egg-link": "/w\n.",
        f"{SITE}/e.pth": "/w\n",
        "/usr/lib/libcudart.so.12": files["runtime"],
    }
    conda = {
        "/v/conda-meta/m-1.0-0.json": json.dumps(
            {
                "name": "m",
                "version": "1.0",
                "build": "0",
                "channel": "https://c/",
                "depends": ["libb >=2"],
                "files": ["lib/libx.so"],
            }
        ),
        "/v/conda-meta/history": "",
        "/v/lib/libx.so": files["full"],
        "/v/bin/python3": "",
        "/v/bin/p": files["program"],
    }
    windows = {
        "/c/Windows/System32/kernel32.dll": sample(),
        "/c/app/x.exe": sample(),
        "/c/app/sample.dll": sample(),
        "/w/x.dll": dll_with_context(),
        "/w/cudart64_12.dll": sample(),
        "/v/python.exe": sample(),
        "/v/python311.dll": sample(),
        "/v/DLLs/_ctypes.pyd": sample(),
        "/v/Lib/os.py": "",
        "/v/Lib/site-packages/m/__init__.py": "from . import _C\n",
        "/v/Lib/site-packages/m/_C.cp311-win_amd64.pyd": dll_with_context(),
    }
    packages = {
        "/w/m-1.0-cp311-cp311-linux_x86_64.whl": wheel,
        "/w/m-1.0-py311_0.conda": conda_packages(maker, files)["new"],
        "/w/n-2.0-py3-none-any.whl": wheels(maker, files)["stored"],
    }
    whole = {
        "program": (
            "/w/p\nconstants\nlibc glibc-2.31\nkernel 5.10.0-2\nenv LD_LIBRARY_PATH=/opt/lib\ndlopen libother.so.1",
            linux,
        ),
        "secure": ("/w/p\nsecure\nenv LD_PRELOAD=libx.so:libother.so.1", linux),
        "import": ("py:m\nprefix /v\ngpu h100", site),
        "library": (f"{SITE}/m/_C.cpython-311-x86_64-linux-gnu.so\nprefix /v\nconstants", site),
        "conda": ("/v/bin/p\nprefix /v", conda),
        "dll": ("/w/x.dll\nwindows\nconstants", windows),
        "pyd": ("py:m\nprefix /v\nwindows\npython 3.11", windows),
        "wheel": ("/w/m-1.0-cp311-cp311-linux_x86_64.whl\nwith /w\nextra a", packages),
        "packages": ("py:m\nwith /w/m-1.0-py311_0.conda\nwith /w/m-1.0-cp311-cp311-linux_x86_64.whl", packages),
        "described": ("/w/p\nhost /host.json", {**linux, "/host.json": described(files)}),
        "npm": (
            "/w/node_modules/@a/b/build/x.node",
            {
                "/w/node_modules/@a/b/build/x.node": files["full"],
                "/w/node_modules/@a/b/package.json": '{"version": "1"}',
            },
        ),
    }
    for name, module, made in staged_imports(files):
        if len(name) % 8 == 0:  # some of them: a whole answer takes long
            whole[name] = (
                f"py:{module}\nprefix /v",
                {
                    "/v/pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n",
                    **{f"{SITE}/{path}": data for path, data in made.items()},
                },
            )
    return {name: tree(*parts) for name, parts in whole.items()}
