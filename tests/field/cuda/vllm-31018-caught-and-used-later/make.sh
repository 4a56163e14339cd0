#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torch/version.py <<<"__version__ = '2.9.1'"
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
dist torch 2.9.1 cp39-cp39-linux_x86_64 torch

lib "$S/nvidia/cu13/lib/libcudart.so.13" <<<'int cudaMalloc(void) { return 0; }'
dist nvidia-cuda-runtime 13.0.96 py3-none-manylinux2014_x86_64 nvidia
lib libcudart.so.12 <<<'int cudaMalloc(void) { return 0; }'
py vllm/__init__.py <<<'from vllm import platforms, _custom_ops'
py vllm/platforms.py </dev/null
py vllm/_custom_ops.py <<'E'
import logging
import torch
logger = logging.getLogger(__name__)
try:
    import vllm._C
except ImportError as e:
    logger.warning("Failed to import from vllm._C with %r", e)
E
ext "$S/vllm/_C.abi3.so" -Wl,--no-as-needed ./libcudart.so.12 </dev/null; rm libcudart.so.12
dist vllm 0.16.0 cp38-abi3-manylinux_2_31_x86_64 vllm -- 'Requires-Dist: torch==2.9.1'
