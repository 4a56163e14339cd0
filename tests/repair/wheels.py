#!/usr/bin/env python3
"""Repairs wheels whose extension needs a library of CUDA that another package has: after it pip installs them and the
real import works next to that package.

    wheels.py CUDALD

The library is a small one with the name of the real one. Output is TAP.
"""

import base64
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, os.path.join(HERE, "..", "cli"))

from recipe import CODE, LIBRARY, PLACE, build, really_imports, repair  # noqa: E402
from schema import Schema  # noqa: E402
from tap import Tap  # noqa: E402
from wheel_writer import write_wheel  # noqa: E402

PROJECT = os.path.dirname(os.path.dirname(HERE))
REQUIREMENT = "nvidia-cuda-runtime-cu12"


class Place:
    def __init__(self, folder, cudald):
        self.folder, self.cudald = folder, os.path.abspath(cudald)
        self.site = os.path.join(folder, "site")
        build(self.site, f"{PLACE}/{LIBRARY}", "int cudaMalloc(void) { return 0; }", f"-Wl,-soname,{LIBRARY}")
        build(self.site, "pkg/_ext.so", "int cudaMalloc(void); int f(void) { return cudaMalloc(); }",
              "-Wl,-rpath,/build/of/somebody:", f"{PLACE}/{LIBRARY}")
        self.library = self.read("pkg/_ext.so")
        shutil.rmtree(os.path.join(self.site, "pkg"))

    def read(self, name):
        with open(os.path.join(self.site, name), "rb") as file:
            return file.read()

    def wheel(self, tag="linux_x86_64", metadata="", library=None, more=None, compression=zipfile.ZIP_DEFLATED):
        members = {"pkg/__init__.py": CODE, "pkg/data/α.txt": "text" * 1000, "pkg/_ext.so": library or self.library,
                   **(more or {})}
        return write_wheel(self.folder, f"pkg-1.0-py3-none-{tag}.whl", members, compression, metadata)

    def repair(self, *words):
        return repair(self.cudald, self.folder, *words)

    def made(self, directory="wheelhouse"):
        return sorted(os.path.basename(path) for path in glob.glob(os.path.join(self.folder, directory, "*")))


def raw_members(path):
    """Name -> what of the member is in the archive: its attributes and its compressed bytes."""
    raw = {}
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        for info in archive.infolist():
            file.seek(info.header_offset + 26)
            lengths = file.read(4)
            file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), os.SEEK_CUR)
            raw[info.filename] = (info.date_time, info.external_attr, info.compress_type, info.CRC,
                                  file.read(info.compress_size))
    return raw


def faults_of_record(path):
    """What RECORD says wrongly."""
    faults = []
    with zipfile.ZipFile(path) as archive:
        faults.append(archive.testzip())
        names = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        rows = {path: (digest, size) for path, digest, size in
                (line.rsplit(",", 2) for line in archive.read(names[0]).decode().splitlines())}
        faults += sorted(set(rows) ^ set(archive.namelist()))
        for name, (digest, size) in rows.items():
            data = archive.read(name)
            right = "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            if name != names[0] and (digest, size) != (right, str(len(data))):
                faults.append(name)
    return [fault for fault in faults if fault]


def install(place, wheel):
    """pip installs the wheel next to the library; whether that works."""
    done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target",
                           place.site, "--disable-pip-version-check", wheel], capture_output=True, text=True,
                          check=False)
    return done.returncode == 0


def test_import(tap, place):
    wheel = place.wheel()
    install(place, wheel)
    tap.ok(not really_imports(place.site), "the wheel does not import next to the library")
    shutil.rmtree(os.path.join(place.site, "pkg"))
    done = place.repair(wheel, "-w", "wheelhouse/")
    tap.ok("written       wheelhouse/pkg-1.0-" in done.stdout, "the answer names the new wheel", done.stdout)
    names = place.made()
    if not tap.ok(done.returncode == 0 and len(names) == 1, "a new wheel is written", [done.stdout, done.stderr]):
        return
    tap.ok(names[0].startswith("pkg-1.0-py3-none-manylinux_2_"), "its name has the tag that fits", names)
    new = os.path.join(place.folder, "wheelhouse", names[0])
    tap.ok(faults_of_record(new) == [], "RECORD fits the new wheel", faults_of_record(new))
    if tap.ok(install(place, new), "pip installs it"):
        tap.ok(really_imports(place.site), "and the real import works next to the library")
    old_members, new_members = raw_members(wheel), raw_members(new)
    same = {name for name, raw in old_members.items() if new_members[name] == raw}
    tap.ok(same == {"pkg/__init__.py", "pkg/data/α.txt"}, "other members keep their compressed bytes", sorted(same))
    tap.ok(all(new_members[name][:3] == old_members[name][:3] for name in old_members),
           "times, permissions and methods stay")
    with zipfile.ZipFile(new) as archive:
        metadata = archive.read("pkg-1.0.dist-info/METADATA").decode()
        tag = archive.read("pkg-1.0.dist-info/WHEEL").decode().split("Tag: ")[1].strip()
    tap.ok(f"\nRequires-Dist: {REQUIREMENT}>=12." in metadata, "the requirement is in METADATA", metadata)
    tap.ok(names[0] == f"pkg-1.0-{tag}.whl", "WHEEL has the same tag as the name", tag)
    place.repair(wheel, "-w", "again")
    with open(new, "rb") as one, open(os.path.join(place.folder, "again", names[0]), "rb") as other:
        tap.ok(one.read() == other.read(), "the same wheel gives the same bytes")
    done = place.repair(new, "-w", "again")
    tap.ok(done.returncode == 0 and "nothing to change" in done.stdout, "a repaired wheel needs no change", done.stdout)


def test_answer(tap, place):
    wheel = place.wheel("manylinux_2_17_x86_64", metadata=f"Requires-Dist: {REQUIREMENT}>=12.1,<13\n")
    done = place.repair(wheel, "-w", "dry", "--dry-run", "-f", "json")
    answer = json.loads(done.stdout)
    with open(os.path.join(PROJECT, "docs/schemas/repair.json"), encoding="utf-8") as file:
        problems = Schema(json.load(file)).problems(answer)
    tap.ok(done.returncode == 0 and not problems and not os.path.exists(os.path.join(place.folder, "dry")),
           "--dry-run writes nothing, and its JSON fits the schema", problems)
    target = answer["targets"][0]
    place.repair(wheel, "-w", "quiet", "-q")
    quiet = os.path.join(place.folder, "quiet", os.path.basename(wheel))
    tap.ok(raw_members(quiet)["pkg/_ext.so"] != raw_members(wheel)["pkg/_ext.so"], "with -q it is repaired as well")
    tap.ok(target["changes"] == [{"file": "pkg/_ext.so", "what": "RUNPATH", "before": "/build/of/somebody:",
                                  "after": "$ORIGIN/../nvidia/cuda_runtime/lib"}] and
           (target["before"]["verdict"], target["after"]["verdict"]) == ("fails", "loads"),
           "what is required already is not required again", target)


def test_refusals(tap, place):
    def is_refused(words, status, name, *options):
        before = place.made("none")
        done = place.repair(*options, "-w", "none")
        tap.ok(done.returncode == status and words in done.stdout + done.stderr and place.made("none") == before, name,
               [done.returncode, done.stdout, done.stderr])

    old = place.wheel("manylinux_2_17_x86_64", metadata=f"Requires-Dist: {REQUIREMENT}<12\n")
    is_refused("combine both by hand", 1, "a requirement that is there is not changed", old)
    build(place.site, "other.so", "int other(void); int f(void) { return other(); }", "-Wl,--allow-shlib-undefined",
          "-Wl,-soname,other.so")
    build(place.folder, "libother.so.1", "int other(void) { return 0; }", "-Wl,-soname,libother.so.1")
    build(place.site, "other.so", "int other(void); int f(void) { return other(); }",
          os.path.join(place.folder, "libother.so.1"))
    is_refused("libother.so.1", 1, "a library that no package has is left to auditwheel",
               place.wheel(library=place.read("other.so")))
    is_refused("name a directory for wheels with -w", 2, "-o is for files", old, "-o", "x.whl")
    is_refused("separately", 2, "wheels and files are repaired separately", old,
               os.path.join(place.site, PLACE, LIBRARY))
    is_refused("it has no ELF files", 1, "a wheel of Python alone",
               write_wheel(place.folder, "pure-1.0-py3-none-any.whl", {"pure.py": "pass"}))
    damaged = place.wheel(compression=zipfile.ZIP_STORED)
    with open(damaged, "rb") as file:
        content = file.read()
    with open(damaged, "wb") as file:
        file.write(content.replace(b"texttext", b"textTEXT", 1))
    is_refused("cannot be unpacked", 3, "a member whose bytes are damaged", damaged)
    twice = os.path.join(place.folder, "twice-1.0-py3-none-linux_x86_64.whl")
    shutil.copy(place.wheel(), twice)
    with zipfile.ZipFile(twice, "a") as archive:
        archive.writestr("PKG/__init__.py", "pass")
    is_refused("the archive is not edited", 3, "an archive that readers may see differently", twice)


def test_signature(tap, place):
    wheel = place.wheel(more={"pkg-1.0.dist-info/RECORD.jws": "{}"}, compression=zipfile.ZIP_STORED)
    done = place.repair(wheel, "-w", "signed")
    new = os.path.join(place.folder, "signed", place.made("signed")[0])
    tap.ok("RECORD.jws is left out" in done.stdout and faults_of_record(new) == [] and
           not any(name.endswith(".jws") for name in raw_members(new)), "a signature is left out, and this is reported",
           done.stdout)
    tap.ok(all(raw[2] == zipfile.ZIP_STORED for raw in raw_members(new).values()), "what was stored is stored")


def test_sbom(tap, place):
    digest = hashlib.sha256(place.library).hexdigest()
    sbom = json.dumps({"bomFormat": "CycloneDX", "components": [
        {"name": "_ext.so", "hashes": [{"alg": "SHA-256", "content": digest}]}]})
    names = "pkg-1.0.dist-info/sboms/own.cdx.json", "pkg-1.0.dist-info/sboms/other.cdx.json"
    wheel = place.wheel(more={names[0]: sbom, names[1]: "{}"})
    place.repair(wheel, "-w", "listed")
    new = os.path.join(place.folder, "listed", place.made("listed")[0])
    with zipfile.ZipFile(new) as archive:
        changed = hashlib.sha256(archive.read("pkg/_ext.so")).hexdigest()
        tap.ok(archive.read(names[0]).decode() == sbom.replace(digest, changed) and faults_of_record(new) == [],
               "an SBOM has the new hash of a changed library", archive.read(names[0]).decode())
    tap.ok(raw_members(new)[names[1]] == raw_members(wheel)[names[1]], "one that names no changed file stays")


def test_pipeline(tap, place):
    name = "auditwheel repair --exclude, and then cudald repair"
    if not shutil.which("auditwheel"):
        tap.skip(name, "auditwheel is not installed")
        return
    audited = subprocess.run(["auditwheel", "repair", "--exclude", LIBRARY, "-w",
                              os.path.join(place.folder, "audited"), place.wheel()], capture_output=True, text=True,
                             check=False)
    if audited.returncode != 0:
        tap.skip(name, "auditwheel itself fails: " + audited.stderr.strip().splitlines()[-1])
        return
    wheel = os.path.join(place.folder, "audited", place.made("audited")[0])
    done = place.repair(wheel, "-w", "both")
    new = os.path.join(place.folder, "both", place.made("both")[0])
    shutil.rmtree(os.path.join(place.site, "pkg"), ignore_errors=True)
    tap.ok(done.returncode == 0 and install(place, new) and really_imports(place.site), name, done.stdout)


def main():
    tap = Tap()
    if not shutil.which("gcc"):
        tap.skip("repaired wheels", "gcc is not installed")
        return tap.finish()
    for test in (test_import, test_answer, test_refusals, test_signature, test_sbom, test_pipeline):
        with tempfile.TemporaryDirectory() as folder:
            test(tap, Place(folder, sys.argv[1]))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
