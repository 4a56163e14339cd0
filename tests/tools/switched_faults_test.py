#!/usr/bin/env python3
"""Shows that a source compiled with all faults behaves, with one switched on, as the source with this fault alone."""

import os
import subprocess
import sys
import tempfile
import unittest
from concurrent import futures
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE.parent / "common"))

from faults import Source, enumerations  # noqa: E402
from switched_faults import Switched  # noqa: E402

SOURCE = '''#include <cstdio>
#include <optional>
#include <vector>
enum class Rule { rpath, runpath, cache };
constexpr int most = 4;
struct Count {
  int steps = 1;
  static constexpr int step = 2;
};
constexpr int twice(int value) { return value < 3 ? value * 2 : value; }
static_assert(twice(1) == 2);
int difference(int a, int b) { return a - b; }
std::optional<int> half(int value) {
  if (value % 2 != 0) return std::nullopt;
  return value / 2;
}
int main() {
  std::vector<int> list;
  Count count;
  const auto is_odd = [](int i) { return !half(i); };
  for (int i = 0; i < most && list.size() < 9; ++i) {
    if (i == 1) continue;
    if (const auto found = half(i)) list.push_back(*found);
    else list.push_back(100);
    count.steps = difference(i, count.steps) + twice(i) + Count::step;
    if (is_odd(i)) count.steps += 1;
  }
  const Rule rule = list.empty() ? Rule::rpath : Rule::runpath;
  bool late = false;
  if (!late || list.empty()) late = true;
  for (const int each : list) std::printf("%d ", each);
  std::printf("%d %d %d\\n", count.steps, static_cast<int>(rule), late);
  return 0;
}
'''


def said_by(program, fault=0):
    try:
        done = subprocess.run([program], check=False, timeout=10, stdout=subprocess.PIPE,
                              env={**os.environ, "CUDALD_FAULT": str(fault)})
    except subprocess.TimeoutExpired:
        return "does not end"
    return done.returncode, done.stdout


class SwitchedFaultsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.source = Source(SOURCE, enumerations([SOURCE]))
        self.numbered = list(enumerate(self.source.faults(), 1))

    def compile(self, name, text, *options):
        path = self.folder / f"{name}.cc"
        path.write_text(text, encoding="utf-8")
        done = subprocess.run(["g++", "-std=c++20", "-w", "-Wno-narrowing", *options, str(path), "-o",
                               str(self.folder / name)], check=False, capture_output=True, text=True)
        return done.returncode == 0, done.stderr

    def compile_switched(self, switched):
        header = HERE.parent / "common" / "switched_faults.h"
        return self.compile("switched", switched.written, "-fpermissive", "-include", str(header))

    def test_each_is_as_if_it_were_alone(self):
        switched = Switched(self.source, self.numbered)
        good, said = self.compile_switched(switched)
        self.assertTrue(good, said)
        faults = [(number, fault) for number, fault in self.numbered if number not in switched.left_out]
        self.assertEqual(said_by(self.folder / "switched"), (0, b"0 1 100 2 1 1\n"))

        with futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            alone = list(pool.map(lambda row: self.compile(f"alone{row[0]}", row[1].applied(SOURCE)), faults))
        outcomes = set()
        for (number, fault), (compiles, _) in zip(faults, alone):
            if compiles:
                with self.subTest(fault=fault):
                    outcome = said_by(self.folder / f"alone{number}")
                    outcomes.add(outcome)
                    self.assertEqual(said_by(self.folder / "switched", number), outcome)
        self.assertGreater(len(outcomes), 15)

    def test_left_out_is_what_the_compiler_must_know(self):
        switched = Switched(self.source, self.numbered)
        left_out = {fault.line for number, fault in self.numbered if number in switched.left_out}
        self.assertEqual(left_out, {11})

    def test_a_line_tells_its_faults(self):
        switched = Switched(self.source, self.numbered)
        lines = switched.written.split("\n")
        for number, _ in self.numbered:
            if number not in switched.left_out:
                line = next(i for i, line in enumerate(lines, 1) if f"FAULT({number})" in line)
                self.assertIn(number, switched.at_line(line))


if __name__ == "__main__":
    unittest.main()
