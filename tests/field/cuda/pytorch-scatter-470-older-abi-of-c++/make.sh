#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.4.0

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
