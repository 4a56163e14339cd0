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

py torch_scatter/__init__.py <<'E'
import importlib
import os.path as osp
import torch
__version__ = '2.1.2'
for library in ['_version', '_scatter']:
    cuda_spec = importlib.machinery.PathFinder().find_spec(f'{library}_cuda', [osp.dirname(__file__)])
    cpu_spec = importlib.machinery.PathFinder().find_spec(f'{library}_cpu', [osp.dirname(__file__)])
    spec = cuda_spec or cpu_spec
    if spec is not None:
        torch.ops.load_library(spec.origin)
    else:
        raise ImportError(f"Could not find module '{library}_cpu' in {osp.dirname(__file__)}")
E
for m in _version_cuda _scatter_cuda _version_cpu; do
  ext "$S/torch_scatter/$m.so" -Wl,--no-as-needed -L"$S/torch/lib" -l:libtorch.so <<'E'
void _ZN5torch3jit17parseSchemaOrNameERKSs(void); void use(void) { _ZN5torch3jit17parseSchemaOrNameERKSs(); }
E
done
dist torch-scatter 2.1.2 cp311-cp311-linux_x86_64 torch_scatter
