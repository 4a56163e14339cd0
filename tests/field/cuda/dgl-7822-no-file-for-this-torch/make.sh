#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torch/version.py <<<"__version__ = '2.4.1'"
py torch/torch_version.py <<'E'
from .version import __version__ as internal_version
class TorchVersion(str):
    pass
__version__ = TorchVersion(internal_version)
E
py torch/_ops.py <<'E'
import contextlib, ctypes, importlib.machinery, os, sys, types
_SET_GLOBAL_FLAGS = hasattr(sys, "getdlopenflags") and hasattr(sys, "setdlopenflags")
@contextlib.contextmanager
def dl_open_guard():
    if not _SET_GLOBAL_FLAGS:
        yield
        return
    old_flags = sys.getdlopenflags()
    sys.setdlopenflags(old_flags | ctypes.RTLD_GLOBAL)
    try:
        yield
    finally:
        sys.setdlopenflags(old_flags)
class _Ops(types.ModuleType):
    __file__ = "_ops.py"
    def __init__(self):
        super().__init__("torch.ops")
        self.loaded_libraries = set()
    def load_library(self, path):
        path = os.path.realpath(path)
        with dl_open_guard():
            ctypes.CDLL(path)
        self.loaded_libraries.add(path)
ops = _Ops()
E
py torch/_classes.py <<'E'
import types
from ._ops import ops
class _Classes(types.ModuleType):
    def load_library(self, path):
        ops.load_library(path)
classes = _Classes("torch.classes")
E
py torch/__init__.py <<'E'
from .torch_version import __version__ as __version__
from torch._C import *
from ._ops import ops
from ._classes import classes
E
lib "$S/torch/lib/libc10.so" <<'E'
int _ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void) { return 0; }
E
lib "$S/torch/lib/libc10_cuda.so" <<<'int _ZN3c104cuda9SetDeviceEab(void) { return 0; }'
lib "$S/torch/lib/libtorch.so" <<'E'
int _ZN5torch3jit17parseSchemaOrNameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void) { return 0; }
E
ext "$S/torch/_C.abi3.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,-rpath,'$ORIGIN/lib' </dev/null
dist torch 2.4.1 cp39-cp39-linux_x86_64 torch

py dgl/__init__.py <<<'from . import graphbolt'
py dgl/graphbolt/__init__.py <<'E'
import os
import sys
import torch

def load_graphbolt():
    """Loads the library of this release of torch."""
    vers = torch.__version__.split("+", maxsplit=1)[0]
    if sys.platform.startswith("linux"):
        basename = f"libgraphbolt_pytorch_{vers}.so"
    elif sys.platform.startswith("darwin"):
        basename = f"libgraphbolt_pytorch_{vers}.dylib"
    elif sys.platform.startswith("win"):
        basename = f"graphbolt_pytorch_{vers}.dll"
    else:
        raise NotImplementedError("Unsupported system: %s" % sys.platform)
    dirname = os.path.dirname(__file__)
    path = os.path.join(dirname, basename)
    if not os.path.exists(path):
        raise FileNotFoundError(f"Cannot find DGL C++ graphbolt library at {path}")
    try:
        torch.classes.load_library(path)
    except Exception:
        raise ImportError("Cannot load Graphbolt C++ library")

load_graphbolt()
E
for v in 2.3.1 2.4.0; do lib "$S/dgl/graphbolt/libgraphbolt_pytorch_$v.so" <<<'int f(void) { return 0; }'; done
dist dgl 2.1.0 cp311-cp311-manylinux1_x86_64 dgl -- 'Requires-Dist: torch'
