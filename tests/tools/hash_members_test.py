#!/usr/bin/env python3
"""Whether tools/hash-members writes the lines that tools/fetch-member reads."""

import hashlib
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(PROJECT, "tools", "hash-members")


class HashMembers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.wheel = os.path.join(folder.name, "tbb-1.0-py3-none-any.whl")
        with zipfile.ZipFile(self.wheel, "w") as wheel:
            wheel.writestr("tbb/libtbb.so.12", b"one")
            wheel.writestr("tbb/libtbbmalloc.so.2", b"two")
            wheel.writestr("tbb/__init__.py", b"")

    def run_tool(self, *patterns):
        return subprocess.run(
            [sys.executable, TOOL, "tbb", self.wheel, *patterns], check=False, capture_output=True, text=True
        )

    def test_a_line_for_each_member_that_fits(self):
        done = self.run_tool("*/libtbb.so.*", "*malloc*")
        wanted = [
            f"tbb tbb-1.0-py3-none-any.whl tbb/{name} {hashlib.sha256(content).hexdigest()}"
            for name, content in (("libtbb.so.12", b"one"), ("libtbbmalloc.so.2", b"two"))
        ]
        self.assertEqual(done.stdout.splitlines(), wanted)
        self.assertEqual(done.returncode, 0)

    def test_a_pattern_without_a_member_is_told(self):
        done = self.run_tool("*/libtbb.so.*", "*/libnone.so")
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertIn("*/libnone.so", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_what_is_no_wheel_is_an_error(self):
        with open(self.wheel, "w", encoding="utf-8") as file:
            file.write("no archive")
        self.assertEqual(self.run_tool("*").returncode, 2)


if __name__ == "__main__":
    unittest.main()
