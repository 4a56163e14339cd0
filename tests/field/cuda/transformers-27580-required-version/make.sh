#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py tokenizersx/__init__.py <<<'__version__ = "0.21.0"'
dist tokenizersx 0.21.0 cp39-abi3-manylinux_2_17_x86_64 tokenizersx
py transfx/__init__.py <<<'from . import dependency_versions_check'
py transfx/dependency_versions_check.py <<'E'
from .utils.versions import require_version_core
require_version_core("tokenizersx>=0.14,<0.19")
E
py transfx/utils/__init__.py </dev/null
py transfx/utils/versions.py <<'E'
import importlib.metadata, operator, re
from packaging import version
ops = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">=": operator.ge, ">": operator.gt}
def _compare_versions(op, got_ver, want_ver, requirement, pkg, hint):
    if got_ver is None or want_ver is None:
        raise ValueError(f"Unable to compare versions for {requirement}: need={want_ver} found={got_ver}.")
    if not ops[op](version.parse(got_ver), version.parse(want_ver)):
        raise ImportError(f"{requirement} is required for a normal functioning of this module, "
                          f"but found {pkg}=={got_ver}.{hint}")
def require_version(requirement, hint=None):
    hint = f"\n{hint}" if hint is not None else ""
    match = re.findall(r"^([^!=<>\s]+)([\s!=<>]{1,2}.+)", requirement)
    pkg, want_full = match[0]
    want_range = want_full.split(",")
    wanted = {}
    for w in want_range:
        match = re.findall(r"^([\s!=<>]{1,2})(.+)", w)
        op, want_ver = match[0]
        wanted[op] = want_ver
    got_ver = importlib.metadata.version(pkg)
    for op, want_ver in wanted.items():
        _compare_versions(op, got_ver, want_ver, requirement, pkg, hint)
def require_version_core(requirement):
    hint = "Try: `pip install transfx -U` or `pip install -e '.[dev]'` if you're working with git main"
    return require_version(requirement, hint)
E
py packaging/__init__.py </dev/null
py packaging/version.py <<'E'
class Version:
    def __init__(self, version):
        self._key = tuple(int(part) for part in version.split("."))
    def __lt__(self, other):
        return self._key < other._key
    def __ge__(self, other):
        return self._key >= other._key
def parse(version):
    return Version(version)
E
dist packaging 23.0 py3-none-any packaging
dist transfx 4.36.0 py3-none-any transfx -- 'Requires-Dist: tokenizersx<0.19,>=0.14' 'Requires-Dist: packaging'
