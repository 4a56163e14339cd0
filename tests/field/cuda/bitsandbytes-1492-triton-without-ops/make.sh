#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.6.0

py triton/__init__.py <<<"__version__ = '3.2.0'"
py triton/language/__init__.py </dev/null
dist triton 3.2.0 py3-none-any triton
py bitsandbytes/__init__.py <<<'from .nn import modules'
py bitsandbytes/nn/__init__.py <<<'from .triton_based_modules import SwitchBackLinear'
py bitsandbytes/nn/modules.py </dev/null
py bitsandbytes/nn/triton_based_modules.py <<E
import torch
from bitsandbytes.triton.int8_matmul_mixed_dequantize import int8_matmul_mixed_dequantize
class SwitchBackLinear: pass
E
py bitsandbytes/triton/__init__.py </dev/null
py bitsandbytes/triton/triton_utils.py <<'E'
import importlib
import functools
@functools.lru_cache(None)
def is_triton_available():
    try:
        import triton
        return True
    except ImportError:
        return False
E
py bitsandbytes/triton/int8_matmul_mixed_dequantize.py <<'E'
import torch
from bitsandbytes.triton.triton_utils import is_triton_available
if not is_triton_available():
    def int8_matmul_mixed_dequantize(a, b, state_x, state_w, bias):
        return None
else:
    import triton
    import triton.language as tl
    from triton.ops.matmul_perf_model import early_config_prune, estimate_matmul_time
    def int8_matmul_mixed_dequantize(a, b, state_x, state_w, bias):
        return 1
E
dist bitsandbytes 0.44.1 py3-none-manylinux_2_24_x86_64 bitsandbytes -- 'Requires-Dist: torch'
