#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
mkdir -p tool_box/toolx
echo 'def hello(): return 1' >tool_box/toolx/__init__.py
mv tool_box toolx
echo 'from toolx import hello' >main.py
# What setuptools leaves: a finder that Python asks after all of sys.path.
py __editable___toolx_0_1_finder.py <<P
import sys
from importlib.util import spec_from_file_location
MAPPING: dict[str, str] = {'toolx': '$PWD/toolx/toolx'}
class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            return spec_from_file_location(fullname, MAPPING[fullname] + "/__init__.py")
        return None
def install():
    sys.meta_path.append(_EditableFinder)
P
echo 'import __editable___toolx_0_1_finder; __editable___toolx_0_1_finder.install()' >"$S/__editable__.toolx-0.1.pth"
dist toolx 0.1 py3-none-any __editable__.toolx-0.1.pth __editable___toolx_0_1_finder.py
printf '{"url": "file://%s/toolx", "dir_info": {"editable": true}}' "$PWD" >"$S/toolx-0.1.dist-info/direct_url.json"
