#!/usr/bin/env python3
"""The names of each module of the standard library: those that it has can be imported, others cannot.

    library_names.py CUDALD

A name that a module really lacks is an ImportError, and cudald says so where it has followed all that binds names
there. So it may not lack one in its eyes that it has: of each module of the Python that runs this, `from MODULE import
NAME` is needed every name at once. The other way round, a name that no module has must be missed in most of them.
Output is TAP, a line for each way.
"""

import json
import keyword
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

HERE = Path(os.path.abspath(__file__)).parent
sys.path.insert(0, str(HERE.parent / "common"))

from real_loads import plain_environment  # noqa: E402
from tap import Tap, first  # noqa: E402

# They print, or have their own in site-packages.
LEFT_OUT = {"antigravity", "this", "idlelib", "turtledemo", "test", "lib2to3", "tkinter", "distutils", "turtle"}
PARTS = ["collections.abc", "concurrent.futures", "ctypes.util", "email.mime.text", "email.utils", "html.parser",
         "http.client", "http.server", "importlib.machinery", "importlib.metadata", "importlib.resources",
         "importlib.util", "json.decoder", "logging.handlers", "multiprocessing.pool", "os.path", "sqlite3.dbapi2",
         "unittest.mock", "urllib.parse", "urllib.request", "xml.dom.minidom", "xml.etree.ElementTree"]
NO_NAME = "name_that_nothing_has"
LIST = """
import importlib, json, sys, warnings
warnings.simplefilter("ignore")
names = {}
for name in json.loads(sys.argv[1]):
    try:
        names[name] = sorted(vars(importlib.import_module(name)))
    except ImportError:
        pass
print(json.dumps(names))
"""


def names_of_modules(python):
    modules = sorted(name for name in sys.stdlib_module_names if name not in LEFT_OUT and not name.startswith("_"))
    done = subprocess.run([python, "-c", LIST, json.dumps(modules + PARTS)], env=plain_environment(),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True)
    return {module: [name for name in names if name.isidentifier() and not name.startswith("__") and
                     not keyword.iskeyword(name)]
            for module, names in json.loads(done.stdout.splitlines()[-1]).items()}


def error_of(cudald, prefix, folder, lines):
    (folder / "asking.py").write_text("".join(lines), encoding="utf-8")
    done = subprocess.run([cudald, "explain", "--no-cache", "-f", "json", "--prefix", prefix, "py:asking"],
                          env=dict(plain_environment(), PYTHONPATH=str(folder)), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)["targets"][0]["error"]


def main():
    cudald = os.path.abspath(sys.argv[1])
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="cudald-names-") as work:
        prefix, folder = os.path.join(work, "env"), Path(work, "asking")
        folder.mkdir()
        venv.create(prefix, symlinks=True, with_pip=False)
        modules = names_of_modules(os.path.join(prefix, "bin", "python"))
        wrong, told = [], 0
        for module, names in modules.items():
            error = error_of(cudald, prefix, folder, [f"from {module} import {name}\n" for name in names])
            if error:
                wrong.append(f"{module}: {error}")
            absent = error_of(cudald, prefix, folder, [f"from {module} import {NO_NAME}\n"])
            told += bool(absent) and f"cannot import name '{NO_NAME}'" in absent
        count = sum(map(len, modules.values()))
        tap.ok(len(modules) > 150 and not wrong, f"{count} names of {len(modules)} modules are there", first(wrong))
        tap.ok(2 * told > len(modules), f"a name that is not is missed in most: {told} of {len(modules)}")
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
