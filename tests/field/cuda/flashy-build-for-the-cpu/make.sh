#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py torch/__init__.py <<'E'
from torch.version import __version__ as __version__
from torch import cuda as cuda
from torch import version as version
E
py torch/version.py <<'E'
__all__ = ['__version__', 'debug', 'cuda', 'git_version', 'hip']
__version__ = '2.4.1+cpu'
debug = False
cuda: str = None
git_version = 'x'
hip: str = None
E
py torch/cuda/__init__.py <<'E'
import torch._C
def _is_compiled():
    return hasattr(torch._C, "_cuda_getDeviceCount")
def is_available():
    if not _is_compiled():
        return False
    return torch._C._cuda_getDeviceCount() > 0
E
ext "$S/torch/_C.cpython-311-x86_64-linux-gnu.so" </dev/null
dist torch 2.4.1+cpu cp311-cp311-linux_x86_64 torch
py flashy/__init__.py <<'E'
import torch
if not torch.cuda.is_available():
    raise RuntimeError("flashy needs a CUDA build of PyTorch and a GPU")
if torch.version.cuda is None:
    raise RuntimeError("torch is built without CUDA")
E
dist flashy 1.2.0 py3-none-any flashy -- 'Requires-Dist: torch'
