#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.6.0
gcc -shared -fPIC -o "$S/torch/_C.abi3.so" -xc - -x none -Wl,--no-as-needed "$S"/torch/lib/lib*.so \
  -Wl,-rpath,'$ORIGIN/lib' <<'E'
typedef struct { const char *name; void *function; int flags; const char *doc; } method;
extern void *PyExc_RuntimeError;
void PyErr_Format(void *, const char *, ...), *PyModule_Create2(void *, int);
const char *PyUnicode_AsUTF8AndSize(void *, long *);
static void *has(void *self, void *name) {
  PyErr_Format(PyExc_RuntimeError, "operator %s does not exist", PyUnicode_AsUTF8AndSize(name, 0));
  return 0;
}
static method methods[] = {{"_dispatch_has_kernel", has, 8, 0}, {0, 0, 0, 0}};
static struct { long refs; void *type, *init; long index; void *copy; const char *name, *doc; long size;
  void *methods, *slots, *traverse, *clear, *release; } definition = {1, 0, 0, 0, 0, "torch._C", 0, -1, methods};
void *PyInit__C(void) { return PyModule_Create2(&definition, 1013); }
E
py torch/__init__.py <<'E'
from .torch_version import __version__ as __version__
from torch._C import *
from torch import _C
from ._ops import ops
from ._classes import classes
from . import version, library
E
py torch/version.py <<'E'
__version__ = '2.6.0'
cuda = None
E
py torch/library.py <<'E'
import functools
import torch
def register_fake(op, func=None, /, *, lib=None):
    def register(func):
        torch._C._dispatch_has_kernel(op)
        return func
    if func is None:
        return register
    return register(func)
E
dist torch 2.6.0 cp39-cp39-manylinux1_x86_64 torch
py torchvision/__init__.py <<'E'
import os
import warnings
import torch
from .extension import _HAS_OPS
from torchvision import _meta_registrations, ops
E
py torchvision/extension.py <<'E'
import importlib.machinery
import os
import torch
def _get_extension_path(lib_name):
    lib_dir = os.path.dirname(__file__)
    loader_details = (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
    extfinder = importlib.machinery.FileFinder(lib_dir, loader_details)
    ext_specs = extfinder.find_spec(lib_name)
    if ext_specs is None:
        raise ImportError
    return ext_specs.origin
_HAS_OPS = False
def _has_ops():
    return False
try:
    lib_path = _get_extension_path("_C")
    torch.ops.load_library(lib_path)
    _HAS_OPS = True
    def _has_ops():
        return True
except (ImportError, OSError):
    pass
def _check_cuda_version():
    if not _HAS_OPS:
        return -1
    return torch.ops.torchvision._cuda_version()
_check_cuda_version()
E
py torchvision/_meta_registrations.py <<'E'
import functools
import torch
import torch.library
import torchvision.extension
@torch.library.register_fake("torchvision::nms")
def meta_nms(dets, scores, iou_threshold):
    return dets.new_empty((1,))
E
py torchvision/ops/__init__.py </dev/null
lib "$S/torchvision/_C.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,-z,now \
  <<'E'
int _ZN3c106detail23torchInternalAssertFailEPKcS2_jS2_RKSs(void);
int use(void) { return _ZN3c106detail23torchInternalAssertFailEPKcS2_jS2_RKSs(); }
E
dist torchvision 0.20.1 cp39-cp39-manylinux1_x86_64 torchvision -- 'Requires-Dist: numpy' \
  'Requires-Dist: torch ==2.5.1'
