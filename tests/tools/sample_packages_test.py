#!/usr/bin/env python3
"""Whether tools/sample-packages draws by the seed alone, and tells right verdicts from wrong ones."""

import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys
import tempfile
import types
import unittest
from pathlib import Path

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("sample_packages", os.path.join(PROJECT, "tools", "sample-packages"))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("sample_packages", _loader))
_loader.exec_module(tool)

import real_loads  # noqa: E402
from top_modules import modules_of  # noqa: E402

LOCK = """lock-version = "1.0"

[[packages]]
name = "numpy"
version = "2.4.6"
marker = "python_full_version < '3.14'"
wheels = [{ url = "https://index.invalid/02/numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl", size = 16918164 }]

[[packages]]
name = "pandas"
version = "3.1.1"
wheels = [
  { url = "https://index.invalid/3a/pandas-3.1.1-cp311-cp311-manylinux_2_24_x86_64.whl", size = 12356904 },
]
"""
TWO_TRACEBACKS = """warning: something
Traceback (most recent call last):
  File "a.py", line 1, in load
    ctypes.CDLL(path)
OSError: /x/liba.so: undefined symbol: f

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "<string>", line 1, in <module>
    raise OSError
OSError: Could not load /x/liba.so
  it needs
more lines
"""
MISSING = "ImportError: libx.so.1: cannot open shared object file: No such file or directory"


class SamplePackages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_the_seed_decides_the_order(self):
        names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        self.assertEqual(tool.in_order(1, names), tool.in_order(1, reversed(names)))
        self.assertNotEqual(tool.in_order(1, names), tool.in_order(2, names))
        self.assertEqual(sorted(tool.in_order(1, names)), names)

    def test_only_marked_names_are_drawn(self):
        path = self.folder / "names.txt"
        path.write_text("# a head\nboto3\nnumpy wheel\nlibsass said\n\ncupy-cuda12x cuda\nxgboost wheel\n"
                        "xgboost cuda\n")
        self.assertEqual(tool.read_names(path, None), (["numpy", "libsass", "xgboost"], ["cupy-cuda12x", "xgboost"]))
        self.assertLess({"numpy", "libsass", "xgboost"}, set(tool.read_names(path, "2023-03-01")[0]))

    def test_the_list_has_3000_names_and_enough_to_draw(self):
        path = os.path.join(PROJECT, "tools", "popular-packages.txt")
        with open(path, encoding="utf-8") as lines:
            popular = [line for line in lines if line.strip() and not line.startswith("#") and "cuda\n" not in line]
        names, cuda = tool.read_names(path, None)
        self.assertEqual(len(popular), 3000)
        self.assertGreater(len(names), 300)
        self.assertGreater(len(cuda), 20)

    def test_what_a_lock_tells(self):
        lock = self.folder / "pylock.toml"
        lock.write_text(LOCK)
        self.assertEqual(list(tool.locked_wheels(lock)), [
            ("numpy", "2.4.6", "numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.whl", 16918164),
            ("pandas", "3.1.1", "pandas-3.1.1-cp311-cp311-manylinux_2_24_x86_64.whl", 12356904),
        ])

    def test_which_verdicts_are_wrong(self):
        self.assertIsNone(tool.fault_of([], "loads", None))
        self.assertIsNone(tool.fault_of([], "cpu-only", None))
        self.assertEqual(tool.fault_of([], "fails", MISSING), "false FAILS")
        self.assertEqual(tool.fault_of([], "unknown", None), "false UNKNOWN")
        self.assertEqual(tool.fault_of([MISSING], "risk", None), "false LOADS")
        self.assertEqual(tool.fault_of(["RuntimeError: libx.so.1: cannot open shared object file"], "loads", None),
                         "false LOADS")
        self.assertEqual(tool.fault_of(["KeyError: 'DISPLAY'"], "loads", None), "otherwise")
        self.assertIsNone(tool.fault_of([MISSING, "OSError: no x"], "fails", MISSING))
        self.assertEqual(tool.fault_of([MISSING], "fails", "ImportError: liby.so.1: no"), "other error")

    def test_which_verdicts_on_a_wheel_alone_are_wrong(self):
        self.assertIsNone(tool.fault_alone([], "loads", False))
        self.assertIsNone(tool.fault_alone(["KeyError: 'DISPLAY'"], "cpu-only", False))
        self.assertIsNone(tool.fault_alone([MISSING.replace("libx.so.1", "libnvidia-encode.so.1")], "loads", False))
        self.assertEqual(tool.fault_alone([MISSING], "loads", True), "false LOADS")
        absent = "ModuleNotFoundError: No module named 'aiohttp'"
        self.assertEqual(tool.fault_alone([absent], "loads", False), "false LOADS")
        self.assertIsNone(tool.fault_alone([absent], "loads", True))
        self.assertIsNone(tool.fault_alone([MISSING], "fails", False))
        self.assertEqual(tool.fault_alone([], "fails", False), "FAILS alone")

    def test_wheels_alone_are_counted_by_themselves(self):
        sample = tool.Sample.__new__(tool.Sample)
        sample.options = types.SimpleNamespace(seed=7)
        sample.passed_over = []
        imported = {"files": 3, "missing": [], "extra": [], "unfollowed": [], "wrong": None, "module": "a"}
        alone = {"package": "a==1", "module": tool.WHEEL, "verdict": "loads", "wrong": None, "findings": []}
        for wrong, good in (("FAILS alone", True), ("false LOADS", False)):
            sample.rows = [imported, alone, {**alone, "package": "b==2", "verdict": "risk", "wrong": wrong,
                                             "findings": ["CUD101", "CUD202"]}]
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                self.assertEqual(sample.sum_up(2), good)
            lines = said.getvalue().splitlines()
            self.assertIn("2 packages, 1 modules; false FAILS 0, false LOADS 0; files exact 100.0 % (1 of 1)", lines[1])
            counts = "false LOADS 0, FAILS alone 1" if good else "false LOADS 1, FAILS alone 0"
            self.assertEqual(lines[2:], [f"# wheels alone: 2; loads 1, risk 1; {counts}",
                                         f"#   b==2: {wrong} (CUD101, CUD202)"])

    def test_the_summary_counts(self):
        options = types.SimpleNamespace(seed=7)
        sample = tool.Sample.__new__(tool.Sample)
        sample.options = options
        sample.passed_over = [("a", tool.PassedOver("too large", "900 MB")), ("b", tool.PassedOver("too large"))]
        right = {"files": 3, "missing": [], "extra": [], "unfollowed": [], "wrong": None}
        told = {**right, "missing": ["/x.so"], "unfollowed": [{"file": "/a.py", "line": 3, "what": "import"}]}
        silent = {**right, "extra": ["/y.so"]}
        self.assertEqual(self.summed_up(sample, [right, told]),
                         (True, "false FAILS 0, false LOADS 0; files exact 50.0 % (1 of 2), of 1 others 1 tell"))
        self.assertEqual(self.summed_up(sample, [right, told, silent])[0], False)
        self.assertEqual(self.summed_up(sample, [right, {**right, "wrong": "false LOADS"}]),
                         (False, "false FAILS 0, false LOADS 1; files exact 100.0 % (2 of 2), of 0 others 0 tell"))
        self.assertEqual(self.summed_up(sample, [right, {**right, "wrong": "otherwise"}])[0], True)
        self.assertEqual(self.summed_up(sample, [{"imported": "?"}])[0], False)

    def summed_up(self, sample, rows):
        sample.rows = rows
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            good = sample.sum_up(2)
        first, *_, last = said.getvalue().splitlines()
        self.assertEqual(first, "# passed over: 2 projects; too large: 2")
        return good, last.partition("modules; ")[2].partition(" what")[0].replace(", otherwise 1", "")

    def test_exceptions_that_a_program_prints(self):
        self.assertEqual(real_loads.exceptions(TWO_TRACEBACKS),
                         ["OSError: /x/liba.so: undefined symbol: f",
                          "OSError: Could not load /x/liba.so it needs more lines"])
        self.assertEqual(real_loads.exceptions("all is well\n"), [])

    def test_modules_that_files_bring(self):
        version = "%d%d" % sys.version_info[:2]
        names = ["a/__init__.py", "a/b.py", f"c.cpython-{version}-x86_64-linux-gnu.so", "libd.so",
                 "space/e/__init__.py", "space/f.abi3.so", "data/x.txt", "g.py", "h.cpython-39-x86_64-linux-gnu.so"]
        self.assertEqual(modules_of(names), ["a", "c", "g", "space.e", "space.f"])

    def test_what_is_loaded_for_real_and_why_not(self):
        loaded, exceptions = real_loads.really_loaded(sys.executable, "nosuch_module", self.folder, 60)
        self.assertEqual(exceptions, ["ModuleNotFoundError: No module named 'nosuch_module'"])
        self.assertTrue(any(os.path.basename(path).startswith("libc.so") for path in loaded))
        with self.assertRaises(real_loads.CannotAsk):
            (self.folder / "slow.py").write_text("import time\ntime.sleep(60)\n")
            real_loads.really_loaded(sys.executable, "slow", self.folder, 1)

    def test_who_asked_for_a_compiled_module(self):
        (self.folder / "outer.py").write_text("import inner\n")
        (self.folder / "inner.py").write_text("import os\nimport _testmultiphase\n")
        trace = (tool.COMMON / "import_trace.py").read_text(encoding="utf-8")
        output = self.folder / "trace.json"
        done, said = real_loads.run_limited([sys.executable, "-c", trace, "outer", str(output)], 60, cwd=self.folder)
        if "No module named '_testmultiphase'" in said:
            self.skipTest("this Python has no _testmultiphase")
        self.assertEqual(done.returncode, 0, said)
        found = next(who for path, who in tool.json.loads(output.read_text()).items() if "_testmultiphase" in path)
        self.assertEqual([os.path.basename(one) for one in found],
                         ["inner.py:2: import _testmultiphase", "outer.py:1: import inner"])


if __name__ == "__main__":
    unittest.main()
