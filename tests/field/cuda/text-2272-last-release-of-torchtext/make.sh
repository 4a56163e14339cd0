#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.4.0
py torch/__init__.py <<'E'
from .torch_version import __version__ as __version__
from ._ops import ops
E
lib "$S/torch/lib/libtorch_cpu.so" <<<'int _ZN5torch3jit17parseSchemaOrNameERKSsb(void) { return 0; }'
dist torch 2.4.0 cp311-cp311-manylinux1_x86_64 torch
py torchtext/__init__.py <<<'from torchtext import _extension'
py torchtext/_extension.py <<'E'
import os
import torch
torch.ops.load_library(os.path.join(os.path.dirname(__file__), "lib", "libtorchtext.so"))
E
lib "$S/torchtext/lib/libtorchtext.so" -Wl,--no-as-needed "$S/torch/lib/libtorch_cpu.so" \
  -Wl,-rpath,'$ORIGIN/../../torch/lib' -Wl,-z,now <<'E'
int _ZN5torch3jit17parseSchemaOrNameERKSs(void);
int use(void) { return _ZN5torch3jit17parseSchemaOrNameERKSs(); }
E
dist torchtext 0.18.0 cp311-cp311-manylinux1_x86_64 torchtext -- 'Requires-Dist: torch>=2.3.0'
