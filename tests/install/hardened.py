#!/usr/bin/env python3
"""Looks at the built program as an attacker would: is what a fault could be used for made hard?

    hardened.py CUDALD [--optimization LEVEL]

Source: readelf(1). What only an optimized build has is a skip in others. Output is TAP.
"""

import argparse
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "common"))

from tap import Tap  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cudald")
    parser.add_argument("--optimization", default="2")
    options = parser.parse_args()
    tap = Tap()

    def readelf(*words):
        return subprocess.run(["readelf", "-W", *words, options.cudald], capture_output=True, text=True, check=True,
                              env={**os.environ, "LC_ALL": "C"}).stdout

    header, segments, dynamic, symbols = readelf("-h"), readelf("-l"), readelf("-d"), readelf("--dyn-syms")
    stack = re.search(r"GNU_STACK.*", segments)
    tap.ok("Type:" in header and "DYN" in header, "it is position independent")
    tap.ok("GNU_RELRO" in segments, "what the loader has bound is made read-only")
    tap.ok(stack is not None and "RWE" not in stack.group(), "its stack is not executable")
    tap.ok("(RPATH)" not in dynamic and "(RUNPATH)" not in dynamic, "it names no directory of its own for libraries")
    optimized = {
        "all symbols are bound at the start": "BIND_NOW" in dynamic or re.search(r"FLAGS_1.*NOW", dynamic),
        "functions look after their stack": "__stack_chk_fail" in symbols,
        "copies of known size are checked": re.search(r"__\w+_chk@", symbols),
    }
    for name, there in optimized.items():
        if options.optimization in ("0", "plain"):
            tap.skip(name, "this build is not optimized")
        else:
            tap.ok(bool(there), name)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
