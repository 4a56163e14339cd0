#!/usr/bin/env python3
"""Shows what tools/mutate puts into a source: each kind of fault, where it belongs, and none in comments and texts."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from faults import Source, enumerations  # noqa: E402

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
  report(0x10);
  if (const auto x = find(a)) return *x;
  return std::min(a, b);
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
        self.assert_faults("early end dropped", (5, ";"), (7, ";"), (12, ";"))
        self.assert_faults("jump dropped", (7, "if (i == 7) ;"))
        self.assert_faults("insertion dropped", (8, ";"))
        self.assert_faults("call dropped", (11, ";"))
        self.assert_faults("assignment dropped", (10, ";"))
        # Neither swapped arguments of what is the same either way round, nor room that is made, can be noticed.
        self.assert_faults("arguments swapped", (8, "list.push_back(g(b, a));"))
        self.assert_faults("other word", (13, "return std::max(a, b);"))
        self.assert_faults("neighbour in enum", (10, "rule = Rule::runpath;"))
        self.assert_faults("constant", (5, "if (a < b && !list.empty()) return 2;"),
                           (5, "if (a < b && !list.empty()) return 0;"), (6, "for (int i = 1; i != a; ++i) {"),
                           (7, "if (i == 8) continue;"), (7, "if (i == 6) continue;"), (11, "report(0x11);"),
                           (11, "report(0xf);"))
        self.assertEqual(self.found, {})

    def test_a_fault_changes_nothing_else(self):
        for fault in Source(SOURCE, {}).faults():
            changed = fault.applied(SOURCE)
            self.assertNotEqual(changed, SOURCE)
            self.assertEqual(changed[:fault.start], SOURCE[:fault.start])
            self.assertTrue(changed.endswith(SOURCE[fault.end:]))


if __name__ == "__main__":
    unittest.main()
