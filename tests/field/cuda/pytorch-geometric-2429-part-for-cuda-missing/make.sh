#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torch/cuda/__init__.py <<'P'
import torch._C
def is_available():
    if not hasattr(torch._C, "_cuda_getDeviceCount"):
        return False
    return torch._C._cuda_getDeviceCount() > 0
P
small_torch 2.1.0+cu118
echo "cuda = '11.8'" >>"$S/torch/version.py"
echo 'from torch import cuda as cuda, version as version' >>"$S/torch/__init__.py"
py torch_sparse/__init__.py <<'P'
import importlib
import os.path as osp

import torch

suffix = 'cuda' if torch.cuda.is_available() else 'cpu'
for library in ['_version', '_convert']:
    torch.ops.load_library(importlib.machinery.PathFinder().find_spec(
        f'{library}_{suffix}', [osp.dirname(__file__)]).origin)
P
for part in _version _convert; do lib "$S/torch_sparse/${part}_cpu.so" <<<'int f(void) { return 0; }'; done
dist torch-sparse 0.6.18 cp311-cp311-linux_x86_64 torch_sparse -- 'Requires-Dist: scipy'
py torch_geometric/__init__.py <<<'import torch_sparse'
dist torch-geometric 2.4.0 py3-none-any torch_geometric -- 'Requires-Dist: torch-sparse'
