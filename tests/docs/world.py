"""The folder in which the commands of the documentation run: the files that they name, as small as they can be, and
programs of others, played by a few lines."""

import io
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))

from pe_writer import PeFile  # noqa: E402
from pinned import PROJECT  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

MAIN = "int main(void) { return 0; }"
SHELL = "#!/usr/bin/env bash\n"
PYTHON = f"#!{sys.executable}\nimport json, os, subprocess, sys\n"
PROGRAMS = {
    # With --report it resolves what is asked for; else all is installed.
    "pip": SHELL + '[[ "$*" != *--report* ]] || cat report.json\n',
    "pipx": SHELL + 'shift\n"$@"\n',
    "auditwheel": SHELL + 'mkdir -p "$3"\ncp "${@:4}" "$3"\n',
    "docker": SHELL + "cat image.tar\n",
    "sbatch": PYTHON + """
array = next(word for word in sys.argv if word.startswith("--array=")).split("=")[1]
first, last = map(int, array.split("-"))
command = sys.argv[sys.argv.index("--wrap") + 1]
for task in range(first, last + 1):
    own = {"SLURM_ARRAY_TASK_ID": str(task), "SLURM_ARRAY_TASK_COUNT": str(last - first + 1),
           "SLURM_ARRAY_TASK_MIN": str(first), "SLURM_ARRAY_TASK_MAX": str(last), "SLURM_ARRAY_TASK_STEP": "1"}
    subprocess.run(["bash", "-c", command], env={**os.environ, **own}, check=True)
""",
    "parallel": PYTHON + """
at = sys.argv.index(":::")
for number, word in enumerate(sys.argv[at + 1:]):
    subprocess.run(["bash", "-c", sys.argv[at - 1].replace("{}", word)], check=True,
                   env={**os.environ, "PARALLEL_SEQ": str(number + 1)})
""",
    "aws": PYTHON + """
words = json.loads(sys.argv[sys.argv.index("--container-overrides") + 1])["command"]
size = sys.argv[sys.argv.index("--array-properties") + 1].split("=")[1]
for index in range(int(size)):
    own = {"AWS_BATCH_JOB_ARRAY_INDEX": str(index), "AWS_BATCH_JOB_ARRAY_SIZE": size}
    subprocess.run(words, env={**os.environ, **own}, check=True)
""",
}
RAY = """
class Task:
    def __init__(self, function):
        self.remote = function


def remote(**resources):
    return Task


def init():
    pass


def get(results):
    return results
"""


def compile_file(path, source, *options):
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = [] if source is MAIN else ["-shared", "-fPIC", "-nostdlib"]
    subprocess.run(["gcc", *kind, "-w", "-x", "c", "-", "-x", "none", "-o", path, "-Wl,--no-as-needed",
                    "-Wl,--allow-shlib-undefined", "-Wl,--enable-new-dtags", *options],
                   input=source, text=True, check=True)


def write(path, text, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def library(path, functions, *options):
    compile_file(path, "".join(f"int {name}(void) {{ return 0; }}\n" for name in functions),
                 f"-Wl,-soname,{path.name}", *map(str, options))
    return path


def installed(site, name, version, requires=()):
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    write(site / f"{name}-{version}.dist-info" / "METADATA",
          metadata + "".join(f"Requires-Dist: {other}\n" for other in requires))


def make_environment(folder, runtime, blas):
    """.venv with a torch that needs the runtime and cuBLAS of NVIDIA's packages, and a bitsandbytes that opens what is
    not there."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    site = next((folder / "lib").glob("python*")) / "site-packages"
    for path in (runtime, blas):
        place = site / "nvidia" / {runtime: "cuda_runtime", blas: "cublas"}[path] / "lib"
        place.mkdir(parents=True)
        shutil.copy(path, place)
    installed(site, "nvidia_cuda_runtime_cu12", "12.8.90")
    installed(site, "nvidia_cublas_cu12", "12.8.4.1")
    write(site / "torch" / "__init__.py", "from . import _C\n")
    compile_file(site / "torch" / f"_C{sysconfig.get_config_var('EXT_SUFFIX')}", "void PyInit__C(void) {}",
                 "-Wl,-rpath,$ORIGIN/../nvidia/cuda_runtime/lib:$ORIGIN/../nvidia/cublas/lib", runtime, blas)
    installed(site, "torch", "2.9.1", ["nvidia-cublas-cu12==12.8.4.1", "nvidia-cuda-runtime-cu12==12.8.90"])
    write(site / "bitsandbytes" / "__init__.py",
          "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libbitsandbytes.so'))\n")
    compile_file(site / "bitsandbytes" / "libbitsandbytes.so", "int quantize;", runtime)
    installed(site, "bitsandbytes", "0.45.0")


def make_wheels(folder, runtime, blas):
    tag = "py3-none-manylinux_2_28_x86_64"
    compile_file(folder / "build" / "_tool.so", "int tool;")
    compile_file(folder / "build" / "_blas.so", "int cublasCreate_v2(void); int f(void) { return cublasCreate_v2(); }",
                 blas)
    tool, blas = ((folder / "build" / name).read_bytes() for name in ("_tool.so", "_blas.so"))
    (folder / "mirror").mkdir()
    (folder / "dist").mkdir()
    opened = "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), '{}'))\n"
    members = {"mytool/__init__.py": opened.format("_tool.so"), "mytool/_tool.so": tool}
    mytool = write_wheel(folder / "dist", f"mytool-1.0-{tag}.whl", members)
    members = {"cublasext/__init__.py": opened.format("_blas.so"), "cublasext/_blas.so": blas}
    write_wheel(folder / "dist", "cublasext-1.0-py3-none-linux_x86_64.whl", members)
    write_wheel(folder, f"cublasext-1.0-{tag}.whl", members)
    shutil.copy(mytool, folder / "x.whl")
    for number in range(3):
        write_wheel(folder / "mirror", f"part{number}-1.0-{tag}.whl",
                    {f"part{number}/__init__.py": opened.format("_tool.so"), f"part{number}/_tool.so": tool})
    for name, imports in (("tensorflow-2.6.0-cp39-cp39", [(b"cudart64_110.dll", [b"cudaMalloc"])]),
                          ("nvidia_cuda_runtime_cu11-11.8.89-py3-none", [])):
        dll = PeFile()
        dll.imports([(b"KERNEL32.dll", [b"ExitProcess"]), *imports])
        dll.exports(b"", [(b"cudaMalloc", None), (b"PyInit__core", None)])
        place = "tensorflow/_core.pyd" if imports else "nvidia/cuda_runtime/bin/cudart64_110.dll"
        code = {"tensorflow/__init__.py": "from . import _core\n"} if imports else {}
        write_wheel(folder, f"{name}-win_amd64.whl", {**code, place: dll.finish()})


def make_image(folder, train):
    """A saved image with a program that its runtime lies beside, and the same files as a directory."""
    root = folder / "containers" / "ml"
    (root / "usr" / "bin").mkdir(parents=True)
    shutil.copy(train, root / "usr" / "bin" / "train")
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        tar.add(root / "usr", "usr")
    config = ('{"architecture": "amd64", "os": "linux", "config": {"Entrypoint": ["/usr/bin/train"]}}').encode()
    manifest = b'[{"Config": "config.json", "RepoTags": ["app:1"], "Layers": ["layer.tar"]}]'
    with tarfile.open(folder / "image.tar", "w") as tar:
        for name, data in (("layer.tar", layer.getvalue()), ("config.json", config), ("manifest.json", manifest)):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))


def make_programs(folder, cudald):
    for name, text in PROGRAMS.items():
        write(folder / "bin" / name, text, 0o755)
    (folder / "bin" / "cudald").symlink_to(cudald)
    # As `pip install --target` lays the package out: the program is in bin/ beside it.
    shutil.copytree(Path(PROJECT, "python", "cudald"), folder / "python" / "cudald")
    (folder / "python" / "bin").mkdir()
    (folder / "python" / "bin" / "cudald").symlink_to(cudald)
    write(folder / "python" / "ray.py", RAY)
    (folder / "home").mkdir()
    (folder / "shared").mkdir()


def make_world(folder, cudald, runtime):
    """Fills the folder; `runtime`: a libcudart.so.12 of NVIDIA."""
    stubs = folder / "stubs"
    blas = library(stubs / "libcublas.so.12", ["cublasCreate_v2"])
    compile_file(folder / "train", MAIN, runtime)
    two = library(folder / "lib" / "libtwo.so.1", ["two"])
    compile_file(folder / "bin" / "app", MAIN, two, "-Wl,-rpath,/home/builder/lib:")
    make_programs(folder, cudald)
    make_environment(folder / ".venv", runtime, blas)
    make_wheels(folder, runtime, blas)
    make_image(folder, folder / "train")
    locks = Path(PROJECT, "tests", "locks")
    shutil.copy(locks / "torch.uv.lock", folder / "uv.lock")
    shutil.copy(locks / "onnxruntime.report.json", folder / "report.json")
    shutil.rmtree(stubs)
    shutil.rmtree(folder / "build")
