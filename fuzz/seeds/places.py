"""Where the project is, and the writers of files that its tests have."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
for folder in ("tests/python", "tests/common"):
    sys.path.insert(0, str(ROOT / folder))
