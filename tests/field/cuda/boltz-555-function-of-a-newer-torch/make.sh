#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torch/library.py <<<'def custom_op(*a): pass'
small_torch 2.4.0
py trifx/__init__.py <<<'from .op import attention'
py trifx/op.py <<'P'
from torch.library import wrap_triton, triton_op
attention = 1
P
dist trifx 0.1.13 py3-none-any trifx -- 'Requires-Dist: torch'
