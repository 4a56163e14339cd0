"""check of a lock: what each kind of lock installs, what becomes of it, and what is no lock."""

import hashlib
import io
import json
import shutil
import subprocess
import sys
import tarfile
import zipfile

from elf_writer import write_elf
from schema import Schema


def answer(cudald, *words, **more):
    """The document that -f json writes, and the exit status."""
    ending = cudald.run("check", "-f", "json", *words, **more)
    return (json.loads(ending.out) if ending.out else {"error": ending.err}), ending.status


def codes(document):
    return [finding["code"] for finding in document["together"]["findings"]]


def states(document):
    return {package["name"]: package["state"] for package in document["packages"]}


def make_wheel(folder, name, version, members, requires=()):
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-manylinux_2_17_x86_64.whl", "w") as wheel:
        for path, content in members.items():
            wheel.writestr(path, content)
        lines = "".join(f"Requires-Dist: {line}\n" for line in requires)
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{lines}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-manylinux_2_17_x86_64\n")
        wheel.writestr(f"{info}/RECORD", "")


def test_real_locks(tap, cudald, source_root):
    """Locks that uv and pip have written, with no wheel at hand: what follows from the pins alone."""
    locks = source_root / "tests" / "locks"
    schema = Schema(json.loads(cudald.run("schema", "deployment").out))
    rows = [
        ("torch.uv.lock", [], "3.11", 25, "torch 2.9.1, CUDA 12.8", []),
        ("jax.uv.lock", [], "3.11", 21, "jax-cuda12-plugin 0.6.2, CUDA 12", []),
        ("pylock.tensorflow.toml", [], "3.11", 50, "tensorflow 2.17.0, CUDA 12.3", []),
        ("cupy.txt", [], "3.11", 4, "cupy-cuda12x 13.6.0, CUDA 12", []),
        ("onnxruntime.report.json", [], "3.11", 9, "onnxruntime-gpu 1.22.0, CUDA 12.2", []),
        ("mixed-cuda.txt", [], "3.11", 28, "torch 2.9.1, CUDA 12.8", ["CUD312"]),
        ("cudnn-replaced.txt", [], "3.11", 27, "torch 2.9.1, CUDA 12.8", ["CUD305", "CUD511"]),
        ("vllm.txt", [], "3.12", 171, "cupy-cuda12x 14.2.0, CUDA 12", []),
        ("rapids.txt", [], "3.11", 42, "cupy-cuda12x 14.2.0, CUDA 12", []),
        ("pylock.windows.toml", ["--platform", "windows-x86_64"], "3.11", 12, "onnxruntime-gpu 1.22.0, CUDA 12.2", []),
        ("pylock.aarch64.toml", ["--platform", "linux-aarch64"], "3.11", 10, None, []),
    ]
    for name, words, python, count, driver, warned in rows:
        document, status = answer(cudald, str(locks / name), *words)
        problems = schema.problems(document)
        tap.ok(not problems, f"{name} fits the schema of deployments", problems[:5])
        found = (document["python"], len(document["packages"]), document["driver"] and document["driver"]["by"],
                 [code for code in codes(document) if code not in ("CUD313", "CUD905")])
        tap.ok(found == (python, count, driver, warned), f"{name}: packages, driver and conflicts", [found])
        tap.ok(document["verdict"] == "unknown" and status == 3 and "CUD905" in codes(document),
               f"{name}: what was not read is told, and leaves the verdict open", [document["headline"], status])
    document, status = answer(cudald, str(locks / "pylock.aarch64.toml"))
    tap.ok(document["verdict"] == "fails" and status == 1 and "CUD513" in codes(document),
           "a lock for aarch64 cannot be installed on x86-64", [document["headline"]])
    document, _ = answer(cudald, str(locks / "torch.uv.lock"), "--driver", "470.82")
    tap.ok("CUD301" in codes(document), "a driver that is too old for what is pinned", codes(document))


def test_wheels_at_hand(tap, cudald):
    """Wheels that lie in a folder are opened, and judged together with what is only pinned."""
    library = (cudald.folder / "lib" / "libtwo.so").read_bytes()
    wheels = cudald.folder / "locked"
    make_wheel(wheels, "alpha", "1.0", {"alpha/__init__.py": "", "alpha/libone.so": library}, ["beta"])
    make_wheel(wheels, "beta", "2.0", {"beta/__init__.py": "", "beta/libtwo.so": library})
    make_wheel(wheels, "gamma", "1.0", {"gamma/__init__.py": "import alpha, delta\n", "gamma/libx.so.1": library},
               ["delta"])
    make_wheel(wheels, "epsilon", "1.0", {"epsilon.py": "", "gamma/libx.so.1": library})
    lock = cudald.folder / "requirements.txt"

    def ask(text, *words):
        lock.write_text(text)
        return answer(cudald, "requirements.txt", "--wheels", "locked", *words)

    document, _ = ask("alpha==1.0\nbeta==2.0\n")
    tap.ok(states(document) == {"alpha": "read", "beta": "read"} and document["alone"] == [],
           "wheels at hand are read", [states(document)])
    tops = [package["name"] for package in document["packages"] if package["top_level"]]
    tap.ok(tops == ["alpha"], "what another one requires is not top-level", tops)
    document, status = ask("gamma==1.0\nepsilon==1.0\n")
    tap.ok({"CUD511", "CUD512"} <= set(codes(document)), "replaced files and a requirement that is not locked",
           codes(document))
    tap.ok(len(document["alone"]) == 2 and document["alone"][0]["package"] == "gamma",
           "each top-level package has an answer of its own", document["alone"])
    tap.ok(document["verdict"] == "fails" and status == 1, "what is neither locked nor there cannot be imported",
           [document["headline"]])
    document, _ = ask("gamma==1.0\nalpha==1.0\nbeta==2.0\ndelta==1\n")
    tap.ok(document["verdict"] != "fails" and states(document)["delta"] == "unknown",
           "what is locked and not at hand is taken to be there", [document["headline"]])
    ending = cudald.run("check", "requirements.txt", "--wheels", "locked")
    tap.ok("Per package" in ending.out and ending.out.count("\n") < 30, "the answer fits one screen", [ending.out])
    for form in ("sarif", "junit", "markdown", "ndjson", "html"):
        ending = cudald.run("check", "requirements.txt", "--wheels", "locked", "-f", form)
        tap.ok(ending.out != "" and ending.status in (0, 1, 3), f"-f {form}", [ending.err])
    ending = cudald.run("check", "requirements.txt", "--wheels", "nowhere")
    tap.ok(ending.status == 2 and "--wheels nowhere: no such directory" in ending.err, "a folder must be there",
           [ending.err])


def make_conda_package(folder, name, build, files, depends=()):
    """Of the older form, which needs no tool of others."""
    folder.mkdir(exist_ok=True)
    project, version = name
    index = {"name": project, "version": version, "build": build, "build_number": 0, "subdir": "linux-64",
             "depends": list(depends)}
    path = folder / f"{project}-{version}-{build}.tar.bz2"
    with tarfile.open(path, "w:bz2") as archive:
        for member, content in {"info/index.json": json.dumps(index).encode(), **files}.items():
            info = tarfile.TarInfo(member)
            info.size, info.mode = len(content), 0o755
            archive.addfile(info, io.BytesIO(content))
    return path


def test_conda_locks(tap, cudald):
    """An explicit list and a file of conda-lock, with packages in a folder: what one depends on comes from the lock
    alone."""
    libraries = {}
    for name, needed in (("libcudart.so.12", []), ("libapp.so", ["libcudart.so.12"]),
                         ("libold.so", ["libcudart.so.11.0"])):
        write_elf(cudald.folder / name, soname=name, needed=needed, runpath="$ORIGIN")
        libraries["lib/" + name] = (cudald.folder / name).read_bytes()
    folder = cudald.folder / "conda packages"

    def files(*names):
        return {f"lib/{name}": libraries[f"lib/{name}"] for name in names}

    packages = {
        "cuda-cudart": make_conda_package(folder, ("cuda-cudart", "12.8.90"), "h0_0", files("libcudart.so.12")),
        "app": make_conda_package(folder, ("app", "1.0"), "h0_0", files("libapp.so"),
                                  ["cuda-cudart >=12,<13", "__glibc >=2.17"]),
        "old": make_conda_package(folder, ("old", "1.0"), "h0_0", files("libold.so"), ["cudatoolkit 11.*"]),
    }

    def explicit(names):
        lines = "".join(f"https://conda.example/forge/linux-64/{packages[name].name}"
                        f"#{hashlib.sha256(packages[name].read_bytes()).hexdigest()}\n" for name in names)
        return "explicit.txt", "# platform: linux-64\n@EXPLICIT\n" + lines

    def conda_lock(names):
        text = "version: 1\nmetadata:\n  platforms:\n  - linux-64\npackage:\n"
        for name in names:
            version = packages[name].name.split("-")[-2]
            text += (f"- name: {name}\n  version: '{version}'\n  manager: conda\n  platform: linux-64\n"
                     f"  dependencies: {{}}\n  url: https://conda.example/forge/linux-64/{packages[name].name}\n"
                     f"  hash:\n    sha256: {hashlib.sha256(packages[name].read_bytes()).hexdigest()}\n")
        return "conda-lock.yml", text

    for form in (explicit, conda_lock):
        def ask(*names):
            lock, text = form(names)
            (cudald.folder / lock).write_text(text)
            return answer(cudald, lock, "--wheels", "conda packages", "--verify-hashes")

        document, status = ask("cuda-cudart", "app")
        found = {package["name"]: (package["top_level"], package["required_by"]) for package in document["packages"]}
        tap.ok(document["verdict"] == "loads" and status == 0 and
               found == {"cuda-cudart": (False, ["app"]), "app": (True, [])}, f"{form.__name__}: a set that loads",
               [document["headline"], found])
        tap.ok(document["driver"] == {"version": "525.60.13", "by": "cuda-cudart 12.8.90, CUDA 12.8"},
               f"{form.__name__}: the driver that it needs", [document["driver"]])
        document, status = ask("cuda-cudart", "old")
        told = codes(document)
        missing = {package["name"]: package["missing"] for package in document["packages"]}
        tap.ok(document["verdict"] == "fails" and status == 1 and "CUD512" in told and
               missing["old"] == ["cudatoolkit 11.*"],
               f"{form.__name__}: what a package depends on and the lock does not have is not there",
               [document["headline"], told, missing])


def test_environment(tap, cudald):
    """The folder of a virtual environment as a target: its packages, alone and together."""
    schema = Schema(json.loads(cudald.run("schema", "deployment").out))
    environment = cudald.folder / "an environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    site = next(environment.glob("lib/python3*/site-packages"))

    def install(name, version, files, requires=()):
        info = site / f"{name}-{version}.dist-info"
        lines = "".join(f"Requires-Dist: {line}\n" for line in requires)
        files = {**files, f"{info.name}/METADATA": f"Name: {name}\nVersion: {version}\n{lines}"}
        files[f"{info.name}/RECORD"] = "".join(f"{path},,{len(content)}\n" for path, content in files.items())
        for path, content in files.items():
            (site / path).parent.mkdir(parents=True, exist_ok=True)
            (site / path).write_bytes(content if isinstance(content, bytes) else content.encode())

    library = (cudald.folder / "lib" / "libtwo.so").read_bytes()
    opens = "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libx.so'))\n"
    install("good", "1.0", {"good/__init__.py": opens + "import base\n", "good/libx.so": library}, ["base"])
    install("base", "2.0", {"base.py": ""})
    document, status = answer(cudald, "an environment")
    found = {package["name"]: package["top_level"] for package in document["packages"]}
    tap.ok(document["verdict"] == "loads" and status == 0 and found == {"good": True, "base": False},
           "an environment that works", [document["headline"], found])
    tap.ok(document["lock"] == {"path": "an environment", "kind": "environment"} and not schema.problems(document),
           "it is told as one", [document["lock"], schema.problems(document)])
    write_elf(cudald.folder / "libbad.so", soname="libx.so", needed=["libnowhere.so.1"])
    install("bad", "1.0", {"bad/__init__.py": opens, "bad/libx.so": (cudald.folder / "libbad.so").read_bytes()},
            ["absent>=3"])
    document, status = answer(cudald, "an environment")
    verdicts = {each["package"]: each["verdict"] for each in document["alone"]}
    tap.ok(document["verdict"] == "fails" and status == 1 and verdicts == {"good": "loads", "bad": "fails"} and
           "CUD512" in codes(document), "one in which a package does not load", [document["headline"], verdicts])
    text = cudald.run("check", "an environment").out
    tap.ok("bad 1.0 requires absent>=3, which is not installed" in text and "Environment  " in text, "as text", [text])
    (environment / "pyvenv.cfg").unlink()
    ending = cudald.run("check", "an environment/")
    tap.ok("Environment  " not in ending.out and "libx.so" in ending.out, "another folder stands for its libraries",
           [ending.out, ending.err])


def test_described_machine(tap, cudald):
    """--host with a lock: the libraries of the machine where it will run count, and nothing of this one."""
    root = cudald.folder / "root"
    system = root / "usr" / "lib" / "x86_64-linux-gnu"
    system.mkdir(parents=True)
    for folder in ("lib", "lib64"):
        (root / folder).symlink_to("usr/lib" if folder == "lib" else "usr/lib/x86_64-linux-gnu")
    for name in ("libc.so.6", "ld-linux-x86-64.so.2"):
        shutil.copy(f"/lib/x86_64-linux-gnu/{name}", system / name)
    write_elf(system / "libspecial.so.1", soname="libspecial.so.1", needed=["libc.so.6"])
    ending = cudald.run("env", "--sysroot", str(root), "--save", "host.json.gz")
    tap.ok(ending.status == 0, "a description of a root", [ending.err])
    write_elf(cudald.folder / "libasks.so", soname="libasks.so", needed=["libspecial.so.1"])
    make_wheel(cudald.folder / "for another", "asks", "1.0", {
        "asks/__init__.py": "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libasks.so'))\n",
        "asks/libasks.so": (cudald.folder / "libasks.so").read_bytes()})
    (cudald.folder / "requirements.txt").write_text("asks==1.0\n")
    for words, verdict, name in (([], "fails", "wherever its tag holds"), (["--host", "here"], "fails", "here"),
                                 (["--host", "host.json.gz"], "loads", "on the described machine")):
        document, _ = answer(cudald, "requirements.txt", "--wheels", "for another", *words)
        tap.ok(document["verdict"] == verdict, f"a lock {name}: {verdict}", [document["headline"]])


def test_what_is_no_lock(tap, cudald, source_root):
    locks = source_root / "tests" / "locks"
    open_requirements = cudald.folder / "requirements-dev.txt"
    open_requirements.write_text("six==1.16\ntorch>=2\n")
    ending = cudald.run("check", "requirements-dev.txt")
    tap.ok(ending.status == 2 and "requirements-dev.txt: line 2: torch>=2 is not pinned to one version; `uv pip compile"
           in ending.err, "what is not pinned is an error with the command that pins it", [ending.err])
    for name in ("torch.uv.lock", "onnxruntime.report.json", "cupy.txt"):
        document, status = answer(cudald, "-", stdin=(locks / name).read_text())
        tap.ok(status == 3 and document["lock"]["path"] == "standard input", f"{name} from standard input", [status])
    ending = cudald.run("check", "-", stdin="./app\n./broken\n")
    tap.ok(ending.status == 1 and "2 targets" in ending.out, "a list of targets from standard input", [ending.err])
    ending = cudald.run("check", str(locks / "cupy.txt"), "./app")
    tap.ok(ending.status == 2 and "name it alone" in ending.err, "a lock stands alone", [ending.err])
    ending = cudald.run("check", str(locks / "pylock.windows.toml"), "--sysroot", "/usr")
    tap.ok(ending.status == 2 and "--sysroot" in ending.err, "and not in a tree", [ending.err])
    broken = cudald.folder / "pylock.toml"
    broken.write_text('lock-version = "1.0"\n[[packages]]\nname = \n')
    ending = cudald.run("check", "pylock.toml")
    tap.ok(ending.status == 2 and "pylock.toml: line 3" in ending.err, "a broken lock is told by its line",
           [ending.err])
    broken.write_text('lock-version = "1.0"\n')
    ending = cudald.run("check", "pylock.toml")
    tap.ok(ending.status == 2 and "pins no package" in ending.err, "and so is an empty one", [ending.err])
