"""Small worlds in which the cause of a message is real: files of a root for Linux, wheels for Windows, a driver and a
GPU that are stated. Each kind is a function of `KINDS`, which makes its world from what a row of real-messages.json
says; `World.apply` does what a fix says, by its command or, where no command can, by its words.
"""

import json
import os
import re
import shutil
import struct
import subprocess
import zipfile

from pe_writer import PeFile
from wheel_writer import write_wheel

PREFIX = "/opt/venv"
SITE = f"{PREFIX}/lib/python3.9/site-packages"
SYSTEM = "/usr/lib64"
WINDOWS_SITE = "C:\\Python311\\Lib\\site-packages"
WHEELS_SITE = "Z:\\.wheels\\lib\\python3\\site-packages"  # where wheels lie in a world that has no Python
DRIVER = "580.65.06"
# What of CUDA a file is, is read off such functions of it.
DRIVER_CODE = """int cuInit(unsigned f) {{ return f != 0; }}
int cuDriverGetVersion(int *v) {{ *v = 12090; return 0; }}
const char profiles[] = "nvidia-application-profiles-{}";
const char *p(void) {{ return profiles; }}
"""
RUNTIME_CODE = """int cudaRuntimeGetVersion(int *v) {{ *v = {}; return 0; }}
int cudaGetDeviceCount(void) {{ return 0; }}
"""
CUDNN_PARTS = {
    "8": [f"{name}_{use}" for name in ("ops", "cnn", "adv") for use in ("infer", "train")],
    "9": ["graph", "ops", "cnn", "adv", "ext", "engines_precompiled", "engines_runtime_compiled", "heuristic"],
}
CUDNN_CODE = "unsigned long cudnnGetVersion(void) {{ return {}; }}\n"


class World:
    """A world, what is asked in it, and how its fixes are carried out."""

    def __init__(self, cudald, folder):
        self.cudald, self.folder = cudald, folder
        self.root = os.path.join(folder, "root")
        self.target, self.driver, self.gpu = "", DRIVER, None
        self.variables, self.options, self.wanted = {}, [], []
        self.repairs = {}  # a pattern of a fix in words -> what a person does then
        os.makedirs(self.root + SITE)

    @property
    def windows(self):
        return self.target.endswith(".whl")

    def ask(self, *more):
        words = ["explain", "-f", "json"]
        words += [] if self.windows else ["--sysroot", self.root, "--prefix", PREFIX]
        words += ["--driver", self.driver] if self.driver else []
        words += ["--gpu", self.gpu] if self.gpu else []
        words += self.options
        for name, value in self.variables.items():
            words += ["--env", f"{name}={value}"]
        return ask(self.cudald, *words, *more, self.target)

    # --- what is put into it ----------------------------------------------------------------------------------------

    def text(self, path, text):
        path = self.root + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)

    def library(self, path, code="int f(void) { return 0; }\n", needs=(), words=()):
        """A library for Linux; `needs`: paths of others."""
        path = self.root + path
        os.makedirs(os.path.dirname(path), exist_ok=True)
        subprocess.run(["gcc", "-O2", "-nostdlib", "-shared", "-fPIC", "-x", "c", "-", "-x", "none", "-o", path,
                        "-Wl,--build-id=none", "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined",
                        f"-Wl,-soname,{os.path.basename(path)}", *words, *(self.root + need for need in needs)],
                       input=code, text=True, check=True)

    def package(self, name, version, extras=(), files=None):
        """What pip leaves of a package beside its files; `files`: below site-packages, else all of its own folder."""
        lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
        lines += [f"Provides-Extra: {extra}" for extra in extras]
        info = f"{SITE}/{name.replace('-', '_')}-{version}.dist-info"
        self.text(f"{info}/METADATA", "\n".join(lines) + "\n")
        if files is None:
            folder = self.root + f"{SITE}/{name.replace('-', '_')}"
            found = [os.path.join(at, each) for at, _, names in os.walk(folder) for each in names]
            files = [os.path.relpath(file, self.root + SITE) for file in found]
        self.text(f"{info}/RECORD", "".join(file + ",,\n" for file in files))

    def wheel(self, name, members):
        return write_wheel(self.folder, name, members, zipfile.ZIP_DEFLATED)

    # --- fixes ------------------------------------------------------------------------------------------------------

    def apply(self, fix):
        """Whether all that the fix says could be done."""
        for pattern, repair in self.repairs.items():
            if found := re.search(pattern, fix["title"]):
                repair(*found.groups())
                return True
        if not fix["command"]:
            found = re.search(r"a driver of ([\d.]+) or newer", fix["title"])
            self.driver = found[1] if found else self.driver
            return found is not None
        for site, folder in re.findall(r'os\.add_dll_directory\((site \+ )?r"(.+?)"\)', fix["side_effect"] or ""):
            self.options += ["--add-dll-directory", (WINDOWS_SITE if site else "") + folder]
        return all(self.run(line) for line in fix["command"].split("\n"))

    def run(self, line):
        """What a line of a shell or console would do; whether it is known here."""
        if line.startswith(("site=", "for /f ")):
            return True
        pip = r"(?:\S*python\S* -m )?pip install "
        if found := re.match(pip + "--force-reinstall --no-deps (--no-build-isolation .+)", line):
            return self.compile(found[1])
        if found := re.match(pip + r"(?:--force-reinstall )?(.+)", line):
            return all(self.install(word.strip("'\"")) for word in found[1].split())
        if found := re.fullmatch(r"\S*python\S* -c '(import .+)'", line):
            self.text(f"{SITE}/as_told.py", found[1] + "\n")
            self.target = "py:as_told"
        elif found := re.match(r"export LD_LIBRARY_PATH=([^$]*(?:\$site[^$]*)*)", line):
            self.variables["LD_LIBRARY_PATH"] = found[1].replace("$site", SITE).strip("'\"")
        elif line == "unset LD_LIBRARY_PATH":
            del self.variables["LD_LIBRARY_PATH"]
        elif found := re.fullmatch(r'set "PATH=(.+);%PATH%"', line):
            self.variables["PATH"] = ";".join(found[1].replace("%site%", site) for site in (WINDOWS_SITE, WHEELS_SITE))
        elif found := re.fullmatch(r"(?:sudo )?ln -s (\S+) (\S+)", line):
            os.symlink(found[1], self.root + found[2])
        elif re.fullmatch(r"sudo apt install (nvidia-driver|libcuda1)|docker run --gpus all IMAGE", line):
            self.library(f"{SYSTEM}/libcuda.so.1", DRIVER_CODE.format("535.261.03"))
        else:
            return False
        return True

    def install(self, requirement):
        """The files that are wanted, where the package has them."""
        name = re.match(r"[A-Za-z0-9_.-]+", requirement)[0]
        done = False
        for library in self.wanted:
            for row in ask(self.cudald, "provides", "-f", "json", library)[0]["libraries"][0]["pip"]:
                if row["distribution"] != name or done:
                    continue
                folder = row["folder"].split("/", 1)[1]
                if self.windows:
                    made = f"{name.replace('-', '_')}-{row['newest']}-py3-none-win_amd64.whl"
                    self.options += ["--with", self.wheel(made, {f"{folder}/{library}": dll(name=library)})]
                else:
                    self.library(f"{SITE}/{folder}/{library}")
                done = True
        return done


def ask(cudald, *words):
    done = subprocess.run([cudald, *words], capture_output=True, text=True, check=False, env={"PATH": "/usr/bin:/bin"})
    return json.loads(done.stdout) if done.stdout.startswith("{") else {}, done


def dll(imports=(), name="", texts=()):
    """`imports`: names of DLLs, or pairs of one and a function; `texts`: constants of it."""
    pe = PeFile()
    pairs = [each if isinstance(each, tuple) else (each, "f") for each in imports]
    if pairs:
        pe.imports([(each.encode(), [function.encode()]) for each, function in pairs])
    if name:
        pe.exports(name.encode(), [(b"f", None)])
    for text in texts:
        pe.add(b"\0" + text.encode() + b"\0")
    return pe.finish()


def cuda_number(release):
    major, minor = release.split(".")
    return int(major) * 1000 + int(minor) * 10


def cudnn_number(release):
    major, minor, patch = map(int, release.split("."))
    return major * (10000 if major > 8 else 1000) + minor * 100 + patch


def runtime_name(release):
    major = release.split(".", maxsplit=1)[0]
    return f"libcudart.so.{release if major == '10' else '11.0' if major == '11' else major}"


def fatbin(entries):
    """A C array with GPU code: ("sass" or "ptx", number) of each entry."""
    code = b""
    for kind, number in entries:
        header = bytearray(64)
        struct.pack_into("<HHIQ", header, 0, 2 if kind == "sass" else 1, 0x101, 64, 64)
        struct.pack_into("<I", header, 28, number)
        struct.pack_into("<Q", header, 40, 0x11)
        code += bytes(header) + bytes(64)
    code = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(code)) + code
    return (f"__attribute__((section(\".nv_fatbin\"), aligned(8))) const unsigned char gpu[] = "
            f"{{{','.join(map(str, code))}}};\n"
            "__attribute__((section(\".nvFatBinSegment\"), aligned(8))) const char segment[24] = {0};\n")


def speaker_code(message, opened):
    """What opens a library by dlopen and holds the text of the message."""
    text = json.dumps(message["text"].split("\n")[0], ensure_ascii=True)
    return ("extern void *dlopen(const char *, int);\n"
            f"static const char text[] = {text};\nconst char *said(void) {{ return text; }}\n"
            f"void *load(void) {{ return dlopen(\"{opened}\", 2); }}\n")


# --- the kinds ------------------------------------------------------------------------------------------------------


def opens(world, message, driver=DRIVER, there=None):
    """A library that opens the one that is missing; `there`: a file in the system folder."""
    world.driver, world.wanted = driver, [message["library"]]
    world.library(f"{SYSTEM}/libdl.so.2", "void *dlopen(const char *n, int f) { return f ? 0 : (void *)n; }\n")
    if there:
        world.library(f"{SYSTEM}/{there}", DRIVER_CODE.format(DRIVER) if "cuda" in there else "int f;\n")
    world.library("/opt/app/libspeaker.so", speaker_code(message, message["library"]), [f"{SYSTEM}/libdl.so.2"])
    world.target = "/opt/app/libspeaker.so"


def harmless(world, message):
    """All that is wanted is there: what prints the message works."""
    opens(world, message)


def needs_dll(world, message, project, module, missing, path=""):
    """A wheel for Windows whose module imports a DLL that imports the one that is missing, or that itself."""
    chain = [*path.split(), missing]
    members, folder = {}, module.rpartition("/")[0]
    top = module.split("/", maxsplit=1)[0]
    names = [module.rpartition("/")[2], *chain]
    for name, needed in zip(names, names[1:]):
        members[f"{folder}/{name}"] = dll([needed], name, [message["text"].split("\n")[0]])
    if module.endswith(".pyd"):
        members[f"{top}/__init__.py"] = f"from {folder.replace('/', '.')} import {module.rpartition('/')[2][:-4]}\n"
    world.wanted = [missing]
    world.target = world.wheel(f"{project}-cp311-cp311-win_amd64.whl", members)


def other_release(world, message, project, module, other, function):
    """A wheel for Windows with DLLs of two releases: one imports a function that the other does not have."""
    folder, _, name = module.rpartition("/")
    part = message["library"]

    def build(*_):
        world.target = world.wheel(f"{project}-cp311-cp311-win_amd64.whl", {
            f"{folder}/__init__.py": f"from {folder.replace('/', '.')} import {name[:-4]}\n",
            module: dll([part], name, [message["text"]]), f"{folder}/{part}": dll([(other, wanted[0])], part),
            f"{folder}/{other}": dll(name=other)})

    def reinstall(*_):
        wanted[0] = "f"
        build()

    wanted = [function]
    build()
    world.repairs = {"builds of .* that belong together": reinstall}


def opens_dll(world, message, project, module, opened=None):
    """A wheel for Windows, whose module opens a DLL by LoadLibrary."""
    top, name = module.split("/", maxsplit=1)[0], module.rpartition("/")[2]
    opened = opened or message["library"]
    world.wanted = [opened]
    world.target = world.wheel(f"{project}-cp311-cp311-win_amd64.whl", {
        f"{top}/__init__.py": f"from {module.rpartition('/')[0].replace('/', '.')} import {name[:-4]}\n",
        module: dll([("KERNEL32.dll", "LoadLibraryA")], name, [opened, message["text"].split("\n")[0]])})

    def put(*_):
        folder = os.path.join(world.folder, "dlls")
        os.makedirs(folder)
        with open(os.path.join(folder, opened), "wb") as out:
            out.write(dll(name=opened))
        world.options += ["--dll-path", folder]

    world.repairs = {rf"put {re.escape(opened)} .* into a directory of PATH": put}


def runtime(world, _message, release, driver=None, library=None):
    """A program with the runtime of a release, and a driver that is stated, or whose library is there, or none."""
    world.driver = driver
    if library:
        world.library(f"{SYSTEM}/libcuda.so.1", DRIVER_CODE.format(library))
    name = runtime_name(release)
    world.library(f"/opt/app/{name}", RUNTIME_CODE.format(cuda_number(release)))
    world.library("/opt/app/libapp.so", "int cudaGetDeviceCount(void);\nint g(void) { return cudaGetDeviceCount(); }\n",
                  [f"/opt/app/{name}"], ["-Wl,-rpath,$ORIGIN"])
    world.target = "/opt/app/libapp.so"


def two_drivers(world, message, release, library, module, compat=False):
    """The driver's library is of one release, and the kernel's module of another."""
    runtime(world, message, release)

    def state(version):
        world.text("/proc/driver/nvidia/version", f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}\n")

    def take_away():
        shutil.move(f"{world.root}{SYSTEM}/libcuda.so.1", world.root + "/gone")
        world.library("/usr/local/nvidia/lib64/libcuda.so.1", DRIVER_CODE.format(module))

    folder = "/usr/local/cuda-12.9/compat" if compat else SYSTEM
    world.library(f"{folder}/libcuda.so.1", DRIVER_CODE.format(library))
    state(module)
    if compat:
        world.library(f"{SYSTEM}/libcuda.so.1", DRIVER_CODE.format(module))
        world.variables["LD_LIBRARY_PATH"] = folder
    world.repairs = {"restart the machine": lambda: state(library), "take .* out of the container": take_away}


def gpu_code(world, _message, project, version, gpu, entries, driver=DRIVER):
    """A framework's library with code for some GPUs."""
    world.gpu, world.driver = gpu, driver

    def build(*_):
        world.library(f"{SITE}/{project}/lib/lib{project}_cuda.so", fatbin(entries))

    def rebuild(*_):
        entries.append(("sass", int(gpu[3:])))
        build()

    build()
    world.package(project, version)
    world.repairs = {"(?:newer|older) build of|the build of .* for CUDA": rebuild}
    world.target = f"{SITE}/{project}/lib/lib{project}_cuda.so"


def older_cudnn(world, _message, project, version, found, compiled, cuda):
    """A framework that has been compiled with a newer cuDNN than the one that it finds."""
    major = found.split(".", maxsplit=1)[0]
    path = f"{SITE}/nvidia/cudnn/lib/libcudnn.so.{major}"
    world.library(path, CUDNN_CODE.format(cudnn_number(found)), words=["-Wl,-rpath,$ORIGIN"])
    for part in CUDNN_PARTS[major]:
        world.library(f"{SITE}/nvidia/cudnn/lib/libcudnn_{part}.so.{major}", words=["-Wl,-rpath,$ORIGIN"])
    world.library(f"{SITE}/{project}/lib{project}.so", needs=[path], words=["-Wl,-rpath,$ORIGIN/../nvidia/cudnn/lib"])
    world.package(project, version)

    def install(requirement):
        assert requirement.startswith(f"nvidia-cudnn-cu{cuda}>={compiled},"), requirement
        world.library(path, CUDNN_CODE.format(cudnn_number(compiled)))
        return True

    world.install = install
    world.target = f"{SITE}/{project}/lib{project}.so"


def older_nvjitlink(world, _message):
    """pip's libraries, and those of an older toolkit before them."""
    folder, toolkit = f"{SITE}/nvidia/nvjitlink/lib", "/usr/local/cuda-12.0/lib64"
    script = os.path.join(world.folder, "versions")
    with open(script, "w", encoding="utf-8") as out:
        out.write("libnvJitLink.so.12 { global: __nvJitLink*; local: *; };\n")
    named = [f"-Wl,--version-script={script}"]
    code = "int __nvJitLinkAddData{}(void) {{ return 0; }}\n"
    world.library(f"{folder}/libnvJitLink.so.12", code.format("_12_1"), words=named)
    world.library(f"{SITE}/nvidia/cusparse/lib/libcusparse.so.12",
                  "int __nvJitLinkAddData_12_1(void);\nint g(void) { return __nvJitLinkAddData_12_1(); }\n",
                  [f"{folder}/libnvJitLink.so.12"], ["-Wl,-rpath,$ORIGIN/../../nvjitlink/lib", "-Wl,-z,now"])
    world.library(f"{toolkit}/libnvJitLink.so.12", code.format("_12_0"), words=named)
    world.variables["LD_LIBRARY_PATH"] = toolkit
    world.target = f"{SITE}/nvidia/cusparse/lib/libcusparse.so.12"


def older_nccl(world, message):
    """pip's NCCL, and an older one of the system before it."""
    used = re.search(r"undefined symbol: (\w+)", message["text"])[1]
    folder, older = f"{SITE}/nvidia/nccl/lib", "/opt/nccl/lib"
    world.library(f"{folder}/libnccl.so.2", f"int {used}(void) {{ return 0; }}\n")
    world.library(f"{SITE}/torch/lib/libtorch_cuda.so", f"int {used}(void);\nint g(void) {{ return {used}(); }}\n",
                  [f"{folder}/libnccl.so.2"], ["-Wl,-rpath,$ORIGIN/../../nvidia/nccl/lib", "-Wl,-z,now"])
    world.library(f"{older}/libnccl.so.2", "int ncclCommDestroy(void) { return 0; }\n")
    world.variables["LD_LIBRARY_PATH"] = older
    world.target = f"{SITE}/torch/lib/libtorch_cuda.so"


def missing_part(world, _message, part):
    """The first library of cuDNN, and a part of it missing."""
    folder = f"{SITE}/nvidia/cudnn/lib"
    world.library(f"{folder}/libcudnn.so.9", CUDNN_CODE.format(91002), words=["-Wl,-rpath,$ORIGIN"])
    for name in CUDNN_PARTS["9"]:
        if name != part:
            world.library(f"{folder}/libcudnn_{name}.so.9", words=["-Wl,-rpath,$ORIGIN"])
    world.wanted = [f"libcudnn_{part}.so.9"]
    world.target = f"{folder}/libcudnn.so.9"


def extension(world, _message, framework, extended):
    """PyTorch and an extension of it, built for two releases of CUDA."""

    def build(release):
        world.library(f"{SITE}/torch_sparse/_spmm.so", "int cudaGetDeviceCount(void);\nint t(void);\n"
                      "int g(void) { return cudaGetDeviceCount() + t(); }\n",
                      [f"{SYSTEM}/{runtime_name(release)}", f"{SITE}/torch/lib/libtorch.so"],
                      ["-Wl,-rpath,$ORIGIN/../torch/lib"])

    for release in (framework, extended):
        world.library(f"{SYSTEM}/{runtime_name(release)}", RUNTIME_CODE.format(cuda_number(release)))
    world.library(f"{SITE}/torch/lib/libtorch.so", "int cudaGetDeviceCount(void);\n"
                  "int t(void) { return cudaGetDeviceCount(); }\n", [f"{SYSTEM}/{runtime_name(framework)}"])
    build(extended)
    world.package("torch", "1.8.0")
    world.package("torch-sparse", "0.6.8")
    world.repairs = {rf"a build of torch.sparse 0\.6\.8 for CUDA ({re.escape(framework)})": build}
    world.target = f"{SITE}/torch_sparse/_spmm.so"


def other_build(world, message, project, version, module, library, defined):
    """An extension that was compiled against another PyTorch than the one that is there, whose library defines another
    symbol than the message names; `module`: the extension's file.
    """
    used = re.search(r"undefined symbol: (\w+)", message["text"])[1]
    home = f"{SITE}/torch/lib/{library}"

    def build(name):
        world.library(f"{SITE}/{module}", f"void {name}(void);\nvoid g(void) {{ {name}(); }}\n", [home],
                      ["-Wl,-rpath,$ORIGIN/" + "../" * module.count("/") + "torch/lib", "-Wl,-z,now"])

    def install(words):
        assert words == f"--no-build-isolation --no-binary {project} {project}=={version.partition('+')[0]}", words
        build(defined)
        return True

    world.library(home, f"void {defined}(void) {{}}\n")
    build(used)
    world.package("torch", "2.9.1")
    world.package(project, version, files=[module])
    world.compile = install
    world.repairs = {rf"the {re.escape(project)} that belongs to torch": lambda *_: build(defined)}
    world.target = f"{SITE}/{module}"


def before_torch(world, _message):
    """An extension of PyTorch, linked without a search path, that is imported before PyTorch."""
    world.library(f"{SITE}/torch/lib/libc10.so")
    world.text(f"{SITE}/torch/__init__.py", "import ctypes, os\n"
               "ctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib', 'libc10.so'))\n")
    world.library(f"{SITE}/pytorch3d/_C.so", needs=[f"{SITE}/torch/lib/libc10.so"])
    world.text(f"{SITE}/pytorch3d/__init__.py", "")
    world.package("torch", "2.0.1")
    world.text(f"{PREFIX}/pyvenv.cfg", "home = /usr/bin\nversion = 3.9.2\n")
    world.target = "py:pytorch3d._C"


def jax_plugin(world, _message, missing):
    """The plug-in of JAX for CUDA, and what it opens but for one library."""
    code = "const char *names[] = {{\"{}\"}};\n"
    world.library(f"{SITE}/jax_cuda12_plugin/_versions.so", code.format(missing))
    names = ["libcudnn.so.9", "libcufft.so.11", "libcupti.so.12", "libcublas.so.12", "libcusparse.so.12"]
    for name in names + [f"libcudnn_{part}.so.9" for part in CUDNN_PARTS["9"]]:
        if name != missing:
            world.library(f"{SYSTEM}/{name}")
    world.package("jax-cuda12-plugin", "0.6.2")
    world.wanted = [missing]
    world.target = f"{SITE}/jax_cuda12_plugin/_versions.so"


def jax_alone(world, _message):
    """JAX without a plug-in."""
    world.text(f"{SITE}/jax/__init__.py",
               "try:\n    import jax_cuda12_plugin\nexcept ImportError:\n    jax_cuda12_plugin = None\n")
    world.package("jax", "0.6.2", extras=["cuda12"])

    def install(requirement):
        assert re.match(r"jax\[cuda|jax_cuda12_plugin", requirement), requirement
        world.text(f"{SITE}/jax_cuda12_plugin/__init__.py", "")
        return True

    world.install = install
    world.text(f"{PREFIX}/pyvenv.cfg", "home = /usr/bin\nversion = 3.9.2\n")
    world.target = "py:jax"


def toolkit(world, _message, built, there):
    """PyTorch, and a toolkit of another major release."""
    world.text(f"/usr/local/cuda-{there}/version.json", json.dumps({"cuda": {"version": there + ".0"}}))
    world.library(f"{SYSTEM}/{runtime_name(built)}", RUNTIME_CODE.format(cuda_number(built)))
    world.library(f"{SITE}/torch/lib/libtorch.so", "int cudaGetDeviceCount(void);\n"
                  "int t(void) { return cudaGetDeviceCount(); }\n", [f"{SYSTEM}/{runtime_name(built)}"])
    world.package("torch", "1.8.0")
    world.target = f"{SITE}/torch/lib/libtorch.so"


KINDS = {kind.__name__: kind for kind in (
    opens, harmless, needs_dll, other_release, opens_dll, runtime, two_drivers, gpu_code, older_cudnn,
    older_nvjitlink, older_nccl, missing_part, extension, other_build, before_torch, jax_plugin, jax_alone, toolkit)}
