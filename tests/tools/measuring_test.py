#!/usr/bin/env python3
"""Shows that tools/measuring.py tells a difference from noise, and takes the costs of what it runs."""

import os
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools"))

import measuring  # noqa: E402


def noisy(seconds, count=25, seed=3):
    chance = random.Random(seed)
    return [seconds * chance.uniform(0.9, 1.3) for _ in range(count)]


class MeasuringTest(unittest.TestCase):
    def test_a_difference_beyond_the_noise_is_told_with_its_range(self):
        ratio, lowest, highest = measuring.ratio_of_medians(noisy(0.7), noisy(1.0, seed=4))
        self.assertTrue(0.6 < lowest < ratio < highest < 0.85)
        self.assertRegex(measuring.in_words(ratio, lowest, highest), r"^faster by \d+ % \(\d+ to \d+ %\)$")
        self.assertRegex(measuring.in_words(1 / ratio, 1 / highest, 1 / lowest), r"^slower by \d+ % \(\d+ to \d+ %\)$")

    def test_noise_is_no_difference(self):
        ratio, lowest, highest = measuring.ratio_of_medians(noisy(1.0), noisy(1.0, seed=5))
        self.assertTrue(lowest <= 1 <= highest)
        self.assertTrue(measuring.in_words(ratio, lowest, highest).startswith("no difference that shows (-"))

    def test_the_same_runs_give_the_same_words(self):
        once, again = (measuring.ratio_of_medians(noisy(1.1), noisy(1.0)) for _ in range(2))
        self.assertEqual(once, again)

    def test_commands_take_turns_and_the_first_turn_does_not_count(self):
        environment = measuring.clean_environment()
        busy = [sys.executable, "-S", "-c", "sum(range(3_000_000))"]
        idle = [sys.executable, "-S", "-c", "pass"]
        costs = measuring.in_turns({"busy": busy, "idle": idle}, environment, 2)
        self.assertEqual([len(each) for each in costs.values()], [2, 2])
        self.assertGreater(min(one.cpu for one in costs["busy"]), max(one.cpu for one in costs["idle"]))
        self.assertGreater(measuring.peak(idle, environment), 1 << 20)

    def test_a_command_that_breaks_is_no_result(self):
        with self.assertRaises(measuring.Trouble) as fault:
            measuring.cost([sys.executable, "-c", "raise SystemExit(7)"], measuring.clean_environment())
        self.assertIn("exit status 7", str(fault.exception))


if __name__ == "__main__":
    unittest.main()
