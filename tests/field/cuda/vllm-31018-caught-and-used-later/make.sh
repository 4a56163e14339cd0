#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.9.1

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
