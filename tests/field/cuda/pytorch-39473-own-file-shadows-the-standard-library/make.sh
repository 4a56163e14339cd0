#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torch/version.py <<<"__version__ = '2.4.0'"
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
dist torch 2.4.0 cp39-cp39-linux_x86_64 torch

cat >>"$S/torch/__init__.py" <<<'from .nn import modules'
py torch/nn/__init__.py <<<'from . import modules
class Module: pass'
py torch/nn/modules.py <<<'import inspect'
mkdir proj; cat >proj/dis.py <<'E'
import torch.nn as nn
class Net(nn.Module):
    pass
E
