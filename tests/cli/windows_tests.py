"""Processes of Windows as they are asked for on the command line."""

import json

from pe_writer import PeFile
from schema import Schema

HOST = {"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", "windows": {
    "folder": "C:\\Windows", "path": ["C:\\CUDA\\bin"],
    "folders": {"C:\\Windows\\System32": ["kernel32.dll"], "C:\\CUDA\\bin": ["cudart64_12.dll"]}}}


def _dll(*imports):
    pe = PeFile()
    if imports:
        pe.imports([(name.encode(), [b"f"]) for name in imports])
    return pe.finish()


def test_environment(tap, cudald):
    """A copy of a virtual environment, without the Python that it was made of."""
    environment = cudald.folder / "venv of windows"
    site = environment / "Lib" / "site-packages"
    (environment / "Scripts").mkdir(parents=True)
    (environment / "pyvenv.cfg").write_text("home = C:\\Python311\nversion = 3.11.5\n")
    for name, needs in (("good", "kernel32.dll"), ("bad", "none64_1.dll")):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text("from . import _C\n")
        (site / name / "_C.pyd").write_bytes(_dll(needs))
        info = site / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text(f"{name}/__init__.py,,19\n{name}/_C.pyd,,1024\n")
    ending = cudald.run("check", "-f", "json", environment.name)
    answer = json.loads(ending.out) if ending.out else {}
    verdicts = {one["package"]: one["verdict"] for one in answer.get("alone", [])}
    tap.ok(ending.status == 1 and verdicts == {"good": "loads", "bad": "fails"} and answer["verdict"] == "fails",
           "an environment of Windows: each package alone, and all together", [verdicts, ending.err])
    tap.ok("none64_1.dll" in cudald.run("check", environment.name).out, "what is missing is named")


def test_windows(tap, cudald, source_root):
    (cudald.folder / "needs.dll").write_bytes(_dll("cudart64_12.dll"))
    for name, text in {"none.json": None, "no.json": "[]", "deep.json": "[" * 200000,
                       "other.json": json.dumps({**HOST, "schema": "another"}),
                       "empty.json": json.dumps({**HOST, "windows": {}})}.items():
        if text is not None:
            (cudald.folder / name).write_text(text)
        ending = cudald.run("--host", name, "needs.dll")
        tap.ok(ending.status == 2 and f"--host {name}: " in ending.err and not ending.out,
               f"--host {name} is a fault of usage",
               [ending.status, ending.err])
    (cudald.folder / "host.json").write_text(json.dumps(HOST))
    tap.ok(cudald.run("-q", "needs.dll").out.startswith("FAILS"), "a DLL of CUDA is not there by itself")
    ending = cudald.run("-q", "--host", "host.json", "needs.dll")
    tap.ok(ending.status == 0 and ending.out.startswith("LOADS"),
           "what a description lists in a folder of PATH is there", [ending.out, ending.err])

    library = cudald.folder / "py" / "Lib"
    package = library / "site-packages" / "pkg"
    package.mkdir(parents=True)
    for path, data in {cudald.folder / "py" / "python311.dll": _dll(), library / "os.py": b"",
                       package / "_C.cp311-win_amd64.pyd": _dll("none.dll"),
                       package / "__init__.py": b"try:\n  import _winapi, nothing\nexcept ImportError:\n  from . "
                                                b"import _C\n"}.items():
        path.write_bytes(data)
    answer = json.loads(cudald.run("-f", "json", "--prefix", "py", "pkg").out)
    error = "ImportError: DLL load failed while importing _C: The specified module could not be found."
    tap.ok(answer["targets"][0]["error"] == error, "--prefix of a Python for Windows: the error that it prints",
           [answer["targets"]])
    missing = [one["name"] for one in answer["targets"][0]["imports"][0]["missing"]]
    tap.ok(missing == ["nothing"], "modules of Windows' standard library are there", missing)
    schema = Schema(json.loads((source_root / "docs" / "json-schema.json").read_text()))
    tap.ok(not schema.problems(answer), "the report fits the schema", schema.problems(answer)[:5])
    test_environment(tap, cudald)
    ending = cudald.run("--platform", "linux-x86_64", "needs.dll")
    tap.ok(ending.status == 3 and "only a process of Windows" in ending.out + ending.err,
           "--platform linux-x86_64 refuses a DLL", [ending.status, ending.err])
    ending = cudald.run("-q", "--platform", "windows-x86_64", "py:pkg", "--prefix", "py")
    tap.ok(ending.out.startswith("FAILS"), "--platform windows-x86_64", [ending.out, ending.err])
