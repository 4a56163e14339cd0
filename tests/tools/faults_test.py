#!/usr/bin/env python3
"""Shows what tools/mutate puts into a source: each kind of fault, where it belongs, and none in comments and texts."""

import importlib.machinery
import importlib.util
import sys
import tempfile
import types
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "common"))

from faults import Fault, Source, enumerations  # noqa: E402

loader = importlib.machinery.SourceFileLoader("mutate", str(HERE.parents[1] / "tools" / "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)

SOURCE = '''#include <vector>
enum class Rule { rpath, runpath, cache };  // if (a < b) return;
int f(std::vector<int>& list, int a, int b) {
  const char* text = "if (a < b && true)";
  if (a < b && !list.empty()) return 1;
  for (int i = 0; i != a; ++i) {
    if (i == 7) continue;
    list.push_back(g(a, b));
  }
  rule = Rule::cache;
  report(0x10,
         a);
  if (const auto x = find(a)) return *x;
  return std::min(a, b);
  std::swap(a, b);
  list.reserve(9);
  JsonObject fields(4);
}
'''


class FaultsTest(unittest.TestCase):
    def setUp(self):
        self.found = {}
        for fault in Source(SOURCE, enumerations([SOURCE])).faults():
            line = fault.applied(SOURCE).split("\n")[fault.line - 1].strip()
            self.found.setdefault(fault.kind, []).append((fault.line, line))

    def assert_faults(self, kind, *wanted):
        self.assertEqual(sorted(self.found.pop(kind, [])), sorted(wanted))

    def test_all_of_them(self):
        self.assert_faults("comparison", (5, "if (a <= b && !list.empty()) return 1;"))
        self.assert_faults("and or", (5, "if (a < b || !list.empty()) return 1;"))
        self.assert_faults("negation dropped", (5, "if (a < b && list.empty()) return 1;"))
        self.assert_faults("condition negated", (5, "if (!(a < b && !list.empty())) return 1;"),
                           (7, "if (!(i == 7)) continue;"))
        self.assert_faults("equality", (6, "for (int i = 0; i == a; ++i) {"), (7, "if (i != 7) continue;"))
        self.assert_faults("early end dropped", (5, ";"), (7, ";"), (13, ";"))
        self.assert_faults("jump dropped", (7, "if (i == 7) ;"))
        self.assert_faults("insertion dropped", (8, ";"))
        self.assert_faults("call dropped", (11, ";"), (15, ";"))
        self.assert_faults("assignment dropped", (10, ";"))
        # Neither swapped arguments of what is the same either way round, nor room that is made, can be noticed.
        self.assert_faults("arguments swapped", (8, "list.push_back(g(b, a));"))
        self.assert_faults("other word", (14, "return std::max(a, b);"))
        self.assert_faults("neighbour in enum", (10, "rule = Rule::runpath;"))
        self.assert_faults("constant", (5, "if (a < b && !list.empty()) return 2;"),
                           (5, "if (a < b && !list.empty()) return 0;"), (6, "for (int i = 1; i != a; ++i) {"),
                           (7, "if (i == 8) continue;"), (7, "if (i == 6) continue;"), (11, "report(0x11,"),
                           (11, "report(0xf,"))
        self.assertEqual(self.found, {})

    def test_a_fault_changes_nothing_else(self):
        for fault in Source(SOURCE, {}).faults():
            changed = fault.applied(SOURCE)
            self.assertNotEqual(changed, SOURCE)
            self.assertEqual(changed[:fault.start], SOURCE[:fault.start])
            self.assertTrue(changed.endswith(SOURCE[fault.end:]))
            # Or the assertions behind it would be compiled to other bytes, as they know their line.
            self.assertEqual(changed.count("\n"), SOURCE.count("\n"))


class MadeCopy(mutate.Copy):
    """Its compiler puts what a source says into the object, but for blanks; it knows no `?`."""

    asked = []

    def compiles(self, targets=()):
        self.asked.append(list(targets))
        for path in (self.folder / "src").rglob("*.cc"):
            text = path.read_text(encoding="utf-8")
            if "?" in text:
                return False
            (self.build / f"{path.stem}.o").write_text("".join(text.split()), encoding="utf-8")
        return True


class RedrawTest(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        copy = MadeCopy(Path(self.scratch.name), 1)
        (copy.folder / "src" / "base").mkdir(parents=True)
        copy.build.mkdir()
        self.source = copy.folder / "src" / "base" / "a.cc"
        self.source.write_text("return  1;\n", encoding="utf-8")
        (copy.folder / "src" / "base" / "b.cc").write_text("return 7;\n", encoding="utf-8")
        copy.compiles()
        self.mutator = mutate.Mutator.__new__(mutate.Mutator)
        self.mutator.copy, self.mutator.options = copy, types.SimpleNamespace(quick=True)
        self.mutator.tests = []
        self.mutator.files = {"src/base/a.cc": self.source.read_text(encoding="utf-8")}
        self.mutator.clean_objects = copy.objects()
        self.mutator.noticed_by = lambda *_: {"unit: base": self.source.read_text(encoding="utf-8")}

    def draw(self, *texts):
        self.mutator.draws = lambda _: (("base", "src/base/a.cc", Fault("constant", 6, 9, text, 1)) for text in texts)
        return self.mutator.try_number(1, False)

    def test_what_compiles_to_the_same_bytes_is_drawn_again_and_counted(self):
        record = self.draw("   1", "?", " 1", " 2", " 3")
        self.assertEqual((record["equal"], record["not_compiled"]), (2, 1))
        self.assertEqual(record["noticed"], {"unit: base": "return 2;\n"})
        self.assertEqual(self.source.read_text(encoding="utf-8"), "return  1;\n")

    def test_a_source_that_nothing_compiles_changes_nothing(self):
        self.mutator.copy.compiles = lambda *_: True
        with self.assertRaisesRegex(mutate.Trouble, "none compiled to other bytes"):
            self.draw(" 2", " 3")

    def test_what_the_own_tests_of_a_folder_notice_is_not_built_whole(self):
        row = {"name": "base", "suite": ["cudald:unit"], "cmd": [], "env": {}, "workdir": ""}
        own = mutate.Test(row, HERE, ["own"])
        self.mutator.tests, self.mutator.copy.asked = [own], []
        for noticed, asked in ((None, [["own"], []]), ("a line", [["own"]])):
            self.mutator.failure, self.mutator.copy.asked = lambda _, noticed=noticed: noticed, []
            record = self.draw(" 2")
            self.assertEqual(record["noticed"], {"unit: base": noticed or "return 2;\n"})
            self.assertEqual(self.mutator.copy.asked, asked)


class TimeTest(unittest.TestCase):
    def test_what_waits_goes_on_and_what_computes_is_stopped(self):
        def ends_well(code):
            row = {"name": "base", "suite": ["cudald:unit"], "cmd": [sys.executable, "-c", code], "env": {},
                   "workdir": str(HERE)}
            return mutate.Test(row, HERE, []).run(1)[0]

        mutate.Test.processes.wanted = True
        self.assertTrue(ends_well("import time; time.sleep(1.2)"))
        self.assertFalse(ends_well("while True: pass"))


if __name__ == "__main__":
    unittest.main()
