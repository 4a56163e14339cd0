#!/usr/bin/env python3
"""Whether tools/count-tests counts the cases of a run of Meson, and shows what a failed one said."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(PROJECT, "tools", "count-tests")
OUTPUT = """ok 1 - first
not ok 2 - second (of two)
# expected [1]
# cudald   [2]
not ok 3 - third
ok 4 - fourth # SKIP no compiler
1..4
"""
CASES = """<testsuites><testsuite name="cudald.loader"><testcase name="1 - first"/>
<testcase name="2 - second (of two)"><failure/></testcase><testcase name="3 - third"><failure/></testcase>
<testcase name="4 - fourth"><skipped/><system-out>no compiler</system-out></testcase></testsuite></testsuites>"""


def counted(output, cases, result):
    """The exit status and the lines of the tool, for one program with that output."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "testlog.json"), "w", encoding="utf-8") as file:
            json.dump({"name": "loader", "result": result, "stdout": output}, file)
        with open(os.path.join(folder, "testlog.junit.xml"), "w", encoding="utf-8") as file:
            file.write(cases)
        done = subprocess.run([sys.executable, TOOL, folder], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.splitlines()


class CountTests(unittest.TestCase):
    def test_what_a_failed_case_says_stands_below_it(self):
        self.assertEqual(counted(OUTPUT, CASES, "FAIL"),
                         (1, ["skipped: loader: fourth: no compiler", "failed: loader: second (of two)",
                              "    expected [1]", "    cudald   [2]", "failed: loader: third",
                              "1 passed, 2 failed, 1 skipped"]))

    def test_a_program_without_cases_counts_as_one(self):
        self.assertEqual(counted("", "<testsuites/>", "OK"), (0, ["1 passed, 0 failed"]))
        self.assertEqual(counted("no file\n", "<testsuites/>", "FAIL"),
                         (1, ["failed: loader: FAIL no file", "0 passed, 1 failed"]))

    def test_no_log_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(subprocess.run([sys.executable, TOOL, folder], stdout=subprocess.PIPE).returncode, 1)


if __name__ == "__main__":
    unittest.main()
