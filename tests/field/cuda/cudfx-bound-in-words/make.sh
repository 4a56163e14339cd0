#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py pandas/__init__.py <<<'__version__ = "2.2.3"'
dist pandas 2.2.3 cp311-cp311-manylinux_2_17_x86_64 pandas
py packaging/__init__.py </dev/null
py packaging/version.py <<'E'
import re
class InvalidVersion(ValueError): pass
class Version:
    def __init__(self, version):
        m = re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", version)
        if not m:
            raise InvalidVersion(version)
        self._key = tuple(int(x or 0) for x in m.groups())
    def __lt__(self, other): return self._key < other._key
    def __le__(self, other): return self._key <= other._key
    def __gt__(self, other): return self._key > other._key
    def __ge__(self, other): return self._key >= other._key
def parse(version): return Version(version)
E
dist packaging 23.2 py3-none-any packaging
py cudfx/__init__.py <<'E'
from cudfx._compat import ensure_pandas
ensure_pandas()
from cudfx.core import DataFrame
E
py cudfx/core.py <<<'class DataFrame: pass'
py cudfx/_compat.py <<'E'
import pandas as pd
from packaging import version
MAX = version.parse("2.0.3")
def ensure_pandas():
    current = version.parse(pd.__version__)
    if current > MAX:
        raise ImportError(f"cudfx supports pandas up to 2.0.3, found {pd.__version__}")
E
dist cudfx 23.12.1 py3-none-any cudfx -- 'Requires-Dist: pandas>=1.3' 'Requires-Dist: packaging'
