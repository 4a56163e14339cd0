#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
cat >"$S/__editable__.toolx-0.3.0.pth" <<'E'
import __editable___toolx_0_3_0_finder; __editable___toolx_0_3_0_finder.install()
E
cat >"$S/__editable___toolx_0_3_0_finder.py" <<'E'
from __future__ import annotations
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.machinery import all_suffixes as module_suffixes
from importlib.util import spec_from_file_location
from itertools import chain
from pathlib import Path
MAPPING: dict[str, str] = {'toolx': '/home/dev/src/toolx/toolx'}
NAMESPACES: dict[str, list[str]] = {}
PATH_PLACEHOLDER = '__editable__.toolx-0.3.0.finder' + ".__path_hook__"
class _EditableFinder:
    @classmethod
    def find_spec(cls, fullname, path=None, target=None):
        if fullname in MAPPING:
            pkg_path = MAPPING[fullname]
            return cls._find_spec(fullname, Path(pkg_path))
        parent, _, child = fullname.rpartition(".")
        if parent and parent in MAPPING:
            return PathFinder.find_spec(fullname, path=[MAPPING[parent]])
        return None
    @classmethod
    def _find_spec(cls, fullname, candidate_path):
        init = candidate_path / "__init__.py"
        candidates = (candidate_path.with_suffix(x) for x in module_suffixes())
        for candidate in chain([init], candidates):
            if candidate.exists():
                return spec_from_file_location(fullname, candidate)
        return None
def install():
    if not any(finder == _EditableFinder for finder in sys.meta_path):
        sys.meta_path.append(_EditableFinder)
E
dist toolx 0.3.0 py3-none-any __editable__.toolx-0.3.0.pth __editable___toolx_0_3_0_finder.py
printf '{"dir_info": {"editable": true}, "url": "file:///home/dev/src/toolx"}' \
  >"$S/toolx-0.3.0.dist-info/direct_url.json"
