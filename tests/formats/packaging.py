#!/usr/bin/env python3
"""The ways in: what there is for GitHub, GitLab, pre-commit and conda-forge is accepted by tools of others, and the
script of the action annotates, summarises and ends as it should. Writes TAP.

packaging.py CUDALD
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "common"))
sys.path.insert(0, HERE)

from elf_writer import write_elf  # noqa: E402
from pinned import PROJECT  # noqa: E402
from tap import Tap  # noqa: E402
from tools import python_with_rattler_build, python_with_tools  # noqa: E402


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, timeout=120,
                          **options)


def test_files(tap):
    python, missing = python_with_tools()
    if missing:
        tap.skip("files for other systems", missing)
        return
    tools = os.path.dirname(python)
    for words, path in [
        (["check-jsonschema", "--builtin-schema", "vendor.github-actions"], "action.yml"),
        (["check-jsonschema", "--builtin-schema", "vendor.gitlab-ci"], "packaging/gitlab-ci.yml"),
        (["pre-commit", "validate-manifest"], ".pre-commit-hooks.yaml"),
    ]:
        done = run(os.path.join(tools, words[0]), *words[1:], os.path.join(PROJECT, path))
        tap.ok(done.returncode == 0, f"{path} is accepted by {words[0]}", (done.stdout + done.stderr).splitlines()[-5:])


def libraries_to_build_with():
    """What meson.build asks for, by the names that conda-forge has for it."""
    names = {"boost": "libboost-devel", "libisal": "isa-l"}
    text = Path(PROJECT, "meson.build").read_text()
    return {names.get(name, name) for name in re.findall(r"\bdependency\('([\w-]+)'", text)}


def test_recipe(tap, folder):
    """The recipe of conda-forge, filled in as tools/release does."""
    python, missing = python_with_rattler_build()
    if missing:
        tap.skip("recipe for conda-forge", missing)
        return
    text = Path(PROJECT, "packaging", "conda-forge", "recipe.yaml.in").read_text()
    for name, value in [("VERSION", "9.8.7"), ("SOURCE", "https://example.org/cudald.tar.gz"), ("SHA256", "ab" * 32)]:
        text = text.replace(f"@{name}@", value)
    recipe = folder / "recipe.yaml"
    recipe.write_text(text)
    platforms = ["linux-64", "linux-aarch64"]
    script = os.path.join(HERE, "render_recipe.py")
    done = run(python, script, recipe, *platforms)
    if not tap.ok(done.returncode == 0, "rattler-build renders the recipe", done.stderr.splitlines()[-5:]):
        return
    for platform, outputs in json.loads(done.stdout).items():
        needs = outputs[0]["requirements"]
        tap.ok(len(outputs) == 1 and outputs[0]["package"] == {"name": "cudald", "version": "9.8.7"}
               and f"gxx_{platform}" in needs["build"], f"one package for {platform}, by its compiler", outputs)
        tap.ok({need.split()[0] for need in needs["host"]} == libraries_to_build_with(),
               f"with the libraries that meson.build asks for, for {platform}", [needs["host"]])
    recipe.write_text(text.replace("requirements:", "requirement:"))
    tap.ok(run(python, script, recipe, *platforms).returncode != 0, "and refuses one with a field that is none")


def test_action(tap, cudald, folder):
    write_elf(folder / "libgood.so", soname="libgood.so")
    write_elf(folder / "libbad.so", soname="libbad.so", needed=["libgone.so.1"])
    environment = {
        "PATH": os.path.dirname(cudald) + ":" + os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder),
        "RUNNER_TEMP": str(folder), "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"), "CUDALD_SARIF": "out.sarif", "CUDALD_HTML": "", "CUDALD_VERSION": "",
        "CUDALD_ARGS": "", "CUDALD_TARGETS": "",
    }
    script = os.path.join(PROJECT, "packaging", "action.sh")
    for targets, options, status in [("./libgood.so", "", 0), ("./*.so", "", 1), ("./*.so", "--fail-on never", 0),
                                     ("./$(touch injected).so", "", 3)]:
        for name in ("summary", "output", "out.sarif"):
            (folder / name).unlink(missing_ok=True)
        done = run("bash", script, cwd=folder,
                   env={**environment, "CUDALD_TARGETS": targets, "CUDALD_ARGS": options})
        output = (folder / "output").read_text() if (folder / "output").exists() else ""
        tap.ok(done.returncode == status and f"status={status}\n" in output,
               f"the action on {targets} {options}: status {status}", [done.returncode, done.stdout, done.stderr])
        tap.ok(("::error file=./libbad.so" in done.stdout) == (targets == "./*.so"), "and its annotations",
               [done.stdout])
        tap.ok((folder / "summary").exists() and "### cudald: " in (folder / "summary").read_text()
               and (folder / "out.sarif").exists(), "a summary of the job, and SARIF")
    tap.ok(not (folder / "injected").exists(), "what a user states is no code")


def main():
    tap = Tap()
    cudald = os.path.abspath(sys.argv[1])
    test_files(tap)
    with tempfile.TemporaryDirectory(prefix="cudald-packaging-") as name:
        test_recipe(tap, Path(name))
        test_action(tap, cudald, Path(name))
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
