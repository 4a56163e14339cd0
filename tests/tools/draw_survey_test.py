#!/usr/bin/env python3
"""Whether tools/draw-survey takes all packages of CUDA, and draws the others by the seed alone."""

import os
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(PROJECT, "tools", "draw-survey")
PLACE = "/packages/ab/cd/" + "0" * 60 + "/"


def package(name, requires=(), version="1.0", platform="manylinux2014_x86_64"):
    filename = f"{name.replace('-', '_')}-{version}-cp311-cp311-{platform}.whl"
    digest = filename.encode().hex()[:64].ljust(64, "0")
    required = "".join(f'    {{ name = "{each}" }},\n' for each in requires)
    return (f'[[package]]\nname = "{name}"\nversion = "{version}"\n'
            + (f"dependencies = [\n{required}]\n" if required else "")
            + f'wheels = [\n    {{ url = "https://index.invalid{PLACE}{filename}", hash = "sha256:{digest}", '
            f"size = 1000 }},\n]\n\n")


class DrawSurvey(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.lock = os.path.join(folder.name, "owner+name@0123abcd", "uv.lock")
        os.makedirs(os.path.dirname(self.lock))

    def draw(self, count, *packages, seed=1):
        with open(self.lock, "w", encoding="utf-8") as file:
            file.write("version = 1\n\n" + "".join(packages))
        return subprocess.run([sys.executable, TOOL, str(seed), self.lock, "--count", str(count)], check=False,
                              capture_output=True, text=True)

    def drawn(self, count, *packages, seed=1):
        done = self.draw(count, *packages, seed=seed)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        kinds, kind = {}, ""
        for line in done.stdout.splitlines():
            if line.startswith(("# cuda: ", "# other: ")):
                kind = line.split()[1].rstrip(":")
            elif line and not line.startswith("#"):
                kinds.setdefault(kind, []).append(line.split())
        return done.stdout, kinds

    def test_of_cuda_are_names_and_what_requires_them(self):
        text, kinds = self.drawn(
            7, package("nvidia-nvtx-cu12"), package("some-gpu"), package("frame", ["nvidia-nvtx-cu12"]),
            package("over", ["frame", "plain"]), package("plain"), package("gputil"), package("cudalike"))
        self.assertEqual([row[0] for row in kinds["cuda"]], ["frame", "nvidia-nvtx-cu12", "over", "some-gpu"])
        self.assertEqual({row[0] for row in kinds["other"]}, {"plain", "gputil", "cudalike"})
        self.assertIn("owner+name@0123abcd/uv.lock", text)
        self.assertNotIn(os.path.dirname(os.path.dirname(self.lock)), text)
        self.assertNotIn("index.invalid", text)

    def test_a_row_says_where_the_file_lies(self):
        _, kinds = self.drawn(1, package("some-gpu", version="1.0"), package("some-gpu", version="1.2"))
        project, filename, sha256, size, path = kinds["cuda"][0]
        self.assertEqual(filename, "some_gpu-1.2-cp311-cp311-manylinux2014_x86_64.whl")
        self.assertEqual((project, len(sha256), size, path), ("some-gpu", 64, "1000", PLACE + filename))

    def test_wheels_for_other_machines_are_none(self):
        done = self.draw(1, package("some-gpu", platform="win_amd64"), package("gpu", platform="manylinux1_aarch64"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("0 packages, and 1 are wanted", done.stderr)

    def test_the_seed_decides(self):
        some = [package(f"p{number}") for number in range(30)]
        draws = [self.drawn(5, *some, seed=seed)[1]["other"] for seed in (1, 1, 2)]
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])


if __name__ == "__main__":
    unittest.main()
