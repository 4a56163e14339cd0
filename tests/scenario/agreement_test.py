#!/usr/bin/env python3
"""Shows that the comparison with cudald can fail: each kind of wrong answer is seen, a right one is not."""
import copy
import os
import tempfile
import unittest

import agreement
from answer import Answer, Search, Undefined
from fixture import Plan


class AgreementTest(unittest.TestCase):
    """One start: main needs liba.so and libb.so; libb.so is missing."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.realpath(folder.name)
        os.mkdir(os.path.join(self.root, "lib"))
        self.plan = Plan(scratch=self.root, logs=self.root, folder=self.root, target="./main", kind="run")
        self.main, self.liba = self.path("main"), self.path("lib/liba.so")
        self.real = Answer(
            started=True, objects=[self.main, self.liba], mapped=[self.liba],
            searches=[Search(self.main, "liba.so", [self.liba], self.liba),
                      Search(self.main, "libb.so", [self.path("lib/libb.so")], None)],
            undefined={Undefined(self.liba, "f", "V1"), Undefined(self.main, "g", "")},
            undefined_now={Undefined(self.main, "g", "")})
        self.said = copy.deepcopy(self.real)

    def path(self, name):
        return os.path.join(self.root, name)

    def differences(self):
        return list(agreement.differences(self.plan, self.real, self.said))

    def assert_seen(self, word):
        seen = self.differences()
        self.assertEqual(len(seen), 1, seen)
        self.assertIn(word, seen[0])

    def test_equal_answers_agree(self):
        self.assertEqual(self.differences(), [])

    def test_path_in_a_folder_that_does_not_exist_says_nothing(self):
        self.said.searches[0].tried.insert(0, self.path("none/liba.so"))
        self.assertEqual(self.differences(), [])

    def test_path_tried_too_much(self):
        self.said.searches[0].tried.insert(0, self.path("liba.so"))
        self.assert_seen("paths tried for liba.so")

    def test_path_not_tried(self):
        self.said.searches[1].tried = []
        self.assert_seen("paths tried for libb.so")

    def test_other_file(self):
        self.said.searches[0].found = self.path("lib/other.so")
        self.assert_seen("searches of")

    def test_missing_library_that_is_found(self):
        self.said.searches[1].found = self.liba
        self.assert_seen("searches of")

    def test_search_left_out(self):
        del self.said.searches[1]
        self.assert_seen("searches of")

    def test_search_of_another_requester(self):
        self.said.searches.append(Search(self.liba, "libc.so.6"))
        self.assert_seen("the loader makes none")

    def test_load_order(self):
        self.said.objects.append(self.path("lib/libz.so"))
        self.assert_seen("load order")

    def test_load_order_behind_an_error_is_not_compared(self):
        self.real.error = self.said.error = "libb.so: cannot open shared object file: No such file or directory"
        self.said.objects.append(self.path("lib/libz.so"))
        self.assertEqual(self.differences(), [])
        self.said.objects[1] = self.path("lib/libz.so")
        self.assert_seen("load order")

    def test_error_text(self):
        self.said.error = "libb.so: cannot open shared object file"
        self.assert_seen("error")

    def test_line_number_of_an_assertion_is_not_compared(self):
        self.real.error = "Inconsistency detected by ld.so: dl-lookup.c: 107: check_match: ..."
        self.said.error = "Inconsistency detected by ld.so: check_match"
        self.assertEqual(self.differences(), [])
        self.said.error = None
        self.assert_seen("error")

    def test_dlopen(self):
        self.real.dlopens = [("libx.so", None)]
        self.said.dlopens = [("libx.so", "libx.so: file too short")]
        self.assert_seen("dlopen")

    def test_undefined_symbol(self):
        self.said.undefined = {Undefined(self.main, "g", "")}
        self.assert_seen("undefined")

    def test_undefined_symbol_of_another_version(self):
        self.said.undefined = {Undefined(self.liba, "f", "V2"), Undefined(self.main, "g", "")}
        self.assert_seen("undefined")

    def test_undefined_symbol_that_is_not_lazy(self):
        self.said.undefined_now = self.said.undefined
        self.assert_seen("undefined at once")

    def test_missing_version(self):
        self.real.versions = {(self.main, "V1")}
        self.said.versions = set()
        self.assert_seen("versions")

    def test_binding(self):
        self.real.bindings = {(self.main, "f", self.liba), (self.main, "g", self.liba)}
        self.said.bindings = {(self.main, "f", self.main)}
        seen = list(agreement.differences(self.plan, self.real, self.said, ["f"]))
        self.assertEqual(len(seen), 1, seen)
        self.assertIn("bindings of f", seen[0])

    def test_start_that_hangs(self):
        self.real.hung = True
        self.assert_seen("waits for ever")


if __name__ == "__main__":
    unittest.main()
