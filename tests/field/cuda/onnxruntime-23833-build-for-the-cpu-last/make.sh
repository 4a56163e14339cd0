#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.12
stub libcudart.so.12; stub libcublas.so.12
C=$S/onnxruntime/capi; M=onnxruntime_pybind11_state.cpython-312-x86_64-linux-gnu.so
py onnxruntime/__init__.py <<'E'
from onnxruntime.capi import _pybind_state as C
__version__ = "1.20.1"
E
py onnxruntime/capi/__init__.py </dev/null
py onnxruntime/capi/_pybind_state.py <<<'from .onnxruntime_pybind11_state import *'
ext "$C/onnxruntime_pybind11_state.so" <<<'const char *providers = "CUDAExecutionProvider CPUExecutionProvider";'
mv "$C/onnxruntime_pybind11_state.so" "$C/$M"
lib "$C/libonnxruntime_providers_cuda.so" -Wl,--no-as-needed stubs/libcudart.so.12 stubs/libcublas.so.12 \
  <<<'int GetProvider(void) { return 1; }'
dist onnxruntime-gpu 1.20.0 cp312-cp312-manylinux_2_27_x86_64 onnxruntime
ext "$C/onnxruntime_pybind11_state.so" <<<'const char *providers = "CPUExecutionProvider";'
mv "$C/onnxruntime_pybind11_state.so" "$C/$M"
dist onnxruntime 1.20.1 cp312-cp312-manylinux_2_27_x86_64 onnxruntime/__init__.py onnxruntime/capi/__init__.py \
  onnxruntime/capi/_pybind_state.py "onnxruntime/capi/$M"
rm -r stubs
