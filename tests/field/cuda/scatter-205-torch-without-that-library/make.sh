#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.8
small_torch 1.13.1+cu117
lib "$S/torch/lib/libtorch_cuda.so" <<<'int tc;'; rm -r "$S"/torch-*
  dist torch 1.13.1+cu117 cp38-cp38-linux_x86_64 torch
stub libtorch_cuda_cu.so
py torch_scatter/__init__.py <<'P'
import importlib
import os.path as osp
import torch
__version__ = '2.0.9'
for library in ['_version', '_scatter']:
    spec = importlib.machinery.PathFinder().find_spec(f'{library}_cuda', [osp.dirname(__file__)])
    if spec is not None:
        torch.ops.load_library(spec.origin)
    else:
        raise ImportError(f"Could not find module '{library}_cuda' in {osp.dirname(__file__)}")
P
for l in _version _scatter; do lib "$S/torch_scatter/${l}_cuda.so" -Wl,--no-as-needed "$S"/torch/lib/libtorch.so \
  stubs/libtorch_cuda_cu.so <<<'int a;'; done
dist torch-scatter 2.0.9 cp38-cp38-linux_x86_64 torch_scatter
rm -r stubs
