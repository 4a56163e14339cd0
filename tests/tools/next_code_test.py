#!/usr/bin/env python3
"""Whether tools/next-code gives the code behind the highest one of each range, and documents leave that to it."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(PROJECT, "tools", "next-code")


def codes(*words):
    done = subprocess.run([sys.executable, TOOL, *words], check=True, stdout=subprocess.PIPE, text=True)
    return [line.split()[0] for line in done.stdout.splitlines()]


class NextCode(unittest.TestCase):
    def test_the_code_behind_the_highest_of_a_range_is_free_even_where_there_are_gaps(self):
        with tempfile.NamedTemporaryFile("w", suffix=".cc") as file:
            file.write('FindingRule{"CUD101", "a"},\nFindingRule{"CUD104", "b"},\n"see CUD120"\n"CUD902", "c",\n')
            file.flush()
            self.assertEqual(codes(file.name), ["CUD105", "CUD201", "CUD301", "CUD401", "CUD501", "CUD601", "CUD701",
                                                "CUD903"])

    def test_no_free_code_is_in_the_catalogue(self):
        with open(os.path.join(PROJECT, "src/check/findings/catalogue.cc"), encoding="utf-8") as file:
            catalogue = file.read()
        for code in codes():
            self.assertNotIn(f'"{code}"', catalogue)

    def test_the_recipe_names_the_tool_and_no_free_code(self):
        with open(os.path.join(PROJECT, "docs/development/adding.md"), encoding="utf-8") as file:
            recipe = file.read()
        recipe = recipe[recipe.index("**A check.**"):recipe.index("**An option.**")]
        self.assertIn("tools/next-code", recipe)
        self.assertIsNone(re.search(r"CUD\d{3}", recipe))


if __name__ == "__main__":
    unittest.main()
