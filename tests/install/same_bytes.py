#!/usr/bin/env python3
"""Whether what a release is made with writes the same bytes in every folder and at any time. The whole release, which
takes long, is compared by tests/install/release_twice.sh.

same_bytes.py COMPILER
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILER = sys.argv.pop(1)
MESON = """project('same', 'cpp', default_options: ['buildtype=release', 'unity=on'])
{}
executable('same', 'same.cc', link_args: '-Wl,--build-id')
"""
# A check that fails names its file.
SOURCE = "#include <cassert>\nint main(int count, char**) { assert(count == 1); }\n"


def read(path):
    with open(path, "rb") as file:
        return file.read()


class SameBytes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folders = [os.path.join(folder.name, name) for name in ("one", "another/folder")]
        for each in self.folders:
            os.makedirs(each)

    def made_by(self, make):
        return [make(folder) for folder in self.folders]

    def test_the_wheel_for_windows(self):
        def make(folder):
            program = os.path.join(folder, "cudald.exe")
            with open(program, "wb") as file:
                file.write(b"MZ")
            os.utime(program, (1_000_000_000 + len(folder), 1_000_000_000))
            tool = os.path.join(PROJECT, "packaging/windows/make-wheel")
            return read(subprocess.check_output([sys.executable, tool, program, folder], text=True).strip())

        one, another = self.made_by(make)
        self.assertEqual(one, another)

    @unittest.skipUnless(shutil.which("meson") and shutil.which("ninja"), "Meson is not installed")
    def test_a_program_by_the_options_of_meson_build(self):
        text = read(os.path.join(PROJECT, "meson.build")).decode()
        start = text.index("if not get_option('debug')")
        end = text.index("\nendif\n", start) + len("\nendif\n")
        options = "compiler = meson.get_compiler('cpp')\non_windows = false\n" + text[start:end]
        options = options.replace("['c', 'cpp']", "'cpp'")

        def make(folder):
            for name, content in (("meson.build", MESON.format(options)), ("same.cc", SOURCE)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(content)
            environment = {**os.environ, "CXX": COMPILER, "CCACHE_DISABLE": "1"}
            for command in (["meson", "setup", "build"], ["ninja", "-C", "build"]):
                subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.DEVNULL)
            return read(os.path.join(folder, "build/same"))

        one, another = self.made_by(make)
        self.assertEqual(one, another)
        self.assertNotIn(os.path.dirname(self.folders[0]).encode(), one)


if __name__ == "__main__":
    unittest.main()
