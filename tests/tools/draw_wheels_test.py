#!/usr/bin/env python3
"""Whether tools/draw-wheels draws by the seed alone, and only what its rules take."""

import os
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(PROJECT, "tools", "draw-wheels")
LINUX = "manylinux_2_17_x86_64.manylinux2014_x86_64"
SOURCE = "https://index.invalid/packages/ab/cd/" + "0" * 60 + "/"


def row(filename, size=1000, source=SOURCE):
    return f'    {{ url = "{source}{filename}", hash = "sha256:{filename.encode().hex():0<64.64}", size = {size} }},\n'


class DrawWheels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def lock(self, **projects):
        """The file uv.lock with these rows of projects, and names.txt with their names."""
        self.write("uv.lock", "".join(f'name = "{name}"\nwheels = [\n{rows}]\n' for name, rows in projects.items()))
        self.write("names.txt", "".join(f"{name}\n" for name in projects))

    def draw(self, count, *more, seed=1):
        return subprocess.run(
            [sys.executable, TOOL, str(seed), "uv.lock", "--names", "names.txt", "--count", count, *more],
            check=False, capture_output=True, text=True, cwd=self.folder,
        )

    def drawn(self, count, *more, seed=1):
        done = self.draw(count, *more, seed=seed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split()[1] for line in done.stdout.splitlines() if line and not line.startswith("#")]

    def test_takes_the_newest_release_that_has_such_a_wheel(self):
        wheels = [f"one-{version}-cp311-cp311-{LINUX}.whl" for version in ("1.9", "1.10", "2.0rc1", "1.10+local")]
        wheels += ["one-1.11-cp312-cp312-" + LINUX + ".whl", "one-1.12-cp312-abi3-" + LINUX + ".whl"]
        self.lock(one="".join(map(row, wheels)))
        self.assertEqual(self.drawn("linux=1"), [wheels[1]])

    def test_takes_the_wheel_that_cpython_3_11_rather_takes(self):
        wheels = [f"one-1.0-{python}-{LINUX}.whl" for python in ("py3-none", "cp39-abi3", "cp310-abi3")]
        self.lock(one="".join(map(row, wheels)))
        self.assertEqual(self.drawn("linux=1"), [wheels[2]])

    def test_half_of_the_others_are_for_musl_and_a_project_serves_once(self):
        arm, musl = "cp311-cp311-manylinux_2_28_aarch64", "cp311-cp311-musllinux_1_2_x86_64"
        self.lock(**{name: row(f"{name}-1-{arm}.whl") + row(f"{name}-1-{musl}.whl") for name in ("a", "b", "c", "d")})
        drawn = self.drawn("other=4")
        self.assertEqual(len({name.split("-")[0] for name in drawn}), 4)
        self.assertEqual(sum("musllinux" in name for name in drawn), 2)

    def test_the_seed_alone_decides(self):
        self.lock(**{f"p{n}": row(f"p{n}-1-py3-none-win_amd64.whl") for n in range(20)})
        self.assertEqual(self.drawn("windows=5"), self.drawn("windows=5"))
        self.assertNotEqual(self.drawn("windows=5"), self.drawn("windows=5", seed=2))

    def test_what_is_large_is_named_and_what_another_index_carries_is_passed_over(self):
        self.lock(
            large=row(f"large-1-py3-none-{LINUX}.whl", 250_000_001),
            nightly=row(f"nightly-1-py3-none-{LINUX}.whl", source="https://other.invalid/whl/cu130/"),
            one=row(f"one-1-py3-none-{LINUX}.whl", 250_000_000),
        )
        self.assertEqual(self.drawn("linux=1"), [f"one-1-py3-none-{LINUX}.whl"])
        done = self.draw("linux=2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("{'linux': 1}", done.stderr)

    def test_names_what_was_too_large(self):
        self.lock(**{f"p{n}": row(f"p{n}-1-py3-none-{LINUX}.whl", 300_000_000) for n in range(50)}, one=row(
            f"one-1-py3-none-{LINUX}.whl"))
        done = self.draw("linux=1")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"# Not taken, 300 MB: p\d+-1-py3-none-manylinux")

    def test_does_not_draw_again_what_another_list_has(self):
        self.lock(**{f"p{n}": row(f"p{n}-1-py3-none-win_amd64.whl") for n in range(10)})
        first = self.draw("windows=5")
        self.write("pins.txt", first.stdout)
        second = self.drawn("windows=5", "--apart-from", "pins.txt")
        self.assertEqual([name for name in second if name in first.stdout], [])


if __name__ == "__main__":
    unittest.main()
