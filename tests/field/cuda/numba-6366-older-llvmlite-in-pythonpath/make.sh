#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py numba/__init__.py <<'E'
import re
_min_llvmlite_version = (0, 31, 0)
def _ensure_llvm():
    import warnings
    import llvmlite
    regex = re.compile(r'(\d+)\.(\d+).(\d+)')
    m = regex.match(llvmlite.__version__)
    if m:
        ver = tuple(map(int, m.groups()))
        if ver < _min_llvmlite_version:
            msg = ("Numba requires at least version %d.%d.%d of llvmlite.\n"
                   "Installed version is %s.\n"
                   "Please update llvmlite." %
                   (_min_llvmlite_version + (llvmlite.__version__,)))
            raise ImportError(msg)
    else:
        warnings.warn("llvmlite version format not recognized!")
    from llvmlite.binding.dylib import address_of_symbol
_ensure_llvm()
E
dist numba 0.47.0 cp38-cp38-manylinux1_x86_64 numba -- 'Requires-Dist: llvmlite (>=0.31.0dev0)'
release() {
py llvmlite/__init__.py <<'E'
from ._version import get_versions
__version__ = get_versions()['version']
del get_versions
E
py llvmlite/_version.py <<E
version_version = '$1'
def get_versions():
    return {'version': version_version}
E
py llvmlite/binding/__init__.py </dev/null
py llvmlite/binding/dylib.py <<<'address_of_symbol = None'
dist llvmlite $1 cp38-cp38-manylinux1_x86_64 llvmlite
}
release 0.31.0
(S=$PWD/home/.local/lib/python3/site-packages; mkdir -p "$S"; release 0.28.0)
