#!/usr/bin/env python3
"""Whether tools/refresh-knowledge reads what wheels say, from an index of its own, and makes the rows that follow."""

import functools
import http.server
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import threading
import unittest
import zipfile

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(PROJECT, "tools", "refresh-knowledge")
sys.dont_write_bytecode = True
_loader = importlib.machinery.SourceFileLoader("refresh_knowledge", TOOL)
refresh = importlib.util.module_from_spec(importlib.util.spec_from_loader("refresh_knowledge", _loader))
_loader.exec_module(refresh)

BUILD_ID = "00112233445566778899aabbccddeeff00112233"
NOTE = b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0" + bytes.fromhex(BUILD_ID)


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Serves files by ranges, as an index does."""

    asked = []

    def do_GET(self):
        path = self.translate_path(self.path)
        wanted = self.headers.get("Range")
        if not wanted:
            return super().do_GET()
        with open(path, "rb") as file:
            data = file.read()
        Ranges.asked.append((os.path.basename(path), wanted))
        start, end = re.fullmatch(r"bytes=(\d*)-(\d*)", wanted).groups()
        first = int(start) if start else max(0, len(data) - int(end))
        last = min(int(end), len(data) - 1) if start and end else len(data) - 1
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        self.wfile.write(data[first:last + 1])
        return None

    def log_message(self, *_):
        pass


class RefreshKnowledge(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.wheel("a_lib-1.0-py3-none-manylinux1_x86_64.whl", {"lib/liba.so.1": b""})
        self.wheel("a_lib-1.1-py3-none-manylinux1_x86_64.whl", {"lib/liba.so.1": b"", "lib/libold.so.1": b""})
        self.wheel("a_lib-2.0-py3-none-manylinux1_x86_64.whl", {"other/liba.so.1": b"", "stubs/libcuda.so.1": b""})
        self.wheel("a_lib-2.0-py3-none-win_amd64.whl", {"bin/a.dll": b""})
        self.wheel("a_lib-2.0-py3-none-manylinux1_ppc64le.whl", {"lib/liba.so.1": b""})
        self.wheel("nvidia_cuda_runtime-13.0.48-py3-none-manylinux1_x86_64.whl",
                   {"nvidia/lib/libcudart.so.13": b"\x7fELF" + bytes(900) + NOTE + bytes(9000)}, "nvidia-cuda-runtime")
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Ranges, directory=self.folder))
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.addCleanup(os.environ.__setitem__, "XDG_CACHE_HOME", os.environ.get("XDG_CACHE_HOME", ""))
        os.environ["XDG_CACHE_HOME"] = os.path.join(self.folder, "cache")
        refresh.PAUSE = 0
        Ranges.asked.clear()

    def wheel(self, name, members, project="a-lib"):
        os.makedirs(os.path.join(self.folder, project), exist_ok=True)
        with zipfile.ZipFile(os.path.join(self.folder, project, name), "w") as wheel:
            for member, data in members.items():
                wheel.writestr(member, data)
        page = os.path.join(self.folder, project, "index.html")
        with open(page, "a", encoding="utf-8") as out:
            out.write(f'<a href="{name}">{name}</a>\n')

    def read(self, project, words):
        index = refresh.pypi.Index(self.url)
        wheels = refresh.wheels_of(index, project, words, "")
        source = refresh.Wheels(index, False)
        facts = {name: source.facts(project, name, words) for platform in wheels.values() for _, name in platform}
        return wheels, facts, source

    def test_each_run_of_releases_and_each_folder_has_a_row(self):
        wheels, facts, source = self.read("a-lib", ["libraries"])
        self.assertEqual(sorted(wheels), ["linux", "windows"])
        rows = refresh.provider_rows("a-lib", "linux", wheels["linux"], facts)
        told = [(name, row["folder"], row["oldest"], row["version"], row.get("requirement")) for name, row in rows]
        self.assertEqual(told, [("liba.so.1", "lib", "1.0", "1.1", "a-lib==1.1"),
                                ("liba.so.1", "other", "2.0", "2.0", None),
                                ("libold.so.1", "lib", "1.1", "1.1", "a-lib==1.1")])
        self.assertEqual(source.asked, 4)
        # The directory of a wheel stands at its end: one question each.
        self.assertEqual([wanted for _, wanted in Ranges.asked], ["bytes=-65536"] * 4)
        self.assertEqual(self.read("a-lib", ["libraries"])[2].asked, 0)

    def test_a_build_id_is_read_of_the_first_bytes(self):
        wheels, facts, _ = self.read("nvidia-cuda-runtime", ["cudart"])
        read = [(version, facts[name]["cudart"]) for version, name in wheels["linux"]]
        section, rows = refresh.PROOFS["cudart"].rows("nvidia-cuda-runtime", "linux", read)
        self.assertEqual((section, rows), ("builds", [{"kind": "cudart", "build_id": BUILD_ID, "first": "13.0.48",
                                                       "last": "13.0.48"}]))

    def test_tables_are_spelled_as_they_stand(self):
        for name, spell in (("cuda.json", refresh.spelled_sections),
                            ("providers.json", lambda table: refresh.spelled(table, "providers"))):
            with open(os.path.join(PROJECT, "data", name), encoding="utf-8") as text:
                self.assertEqual(spell(refresh.read_table(name)), text.read(), name)

    def test_versions_are_ordered_as_pip_orders_them(self):
        versions = ["2.0.0rc1", "2.0.0", "2.0.0.post1", "2.0.1", "10.0"]
        self.assertEqual(sorted(reversed(versions), key=refresh.version_key), versions)

    def test_what_a_source_says(self):
        for text, wanted in (("cuda: Optional[str] = '12.8'\n__all__ = ['cuda', 'git_version']\n", {"cuda": "12.8"}),
                             ("cuda = None\n", {"cuda": None}), ("('cuda', '11.2')", {"cuda": "11.2"})):
            path = os.path.join(self.folder, "a.whl")
            with zipfile.ZipFile(path, "w") as wheel:
                wheel.writestr("a/version.py", text)
            with zipfile.ZipFile(path) as wheel:
                proof = importlib.import_module("wheel_proofs").Literal("a/version.py", "cuda")
                self.assertEqual(proof(wheel), wanted)

    def test_a_project_that_is_not_in_the_file_is_a_usage_error(self):
        done = subprocess.run([sys.executable, TOOL, "no-such-project"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("not in knowledge-projects.txt", done.stderr)


if __name__ == "__main__":
    unittest.main()
