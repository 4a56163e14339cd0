#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.10
py onnxruntime/__init__.py <<<'__version__ = "1.17.0"'
py onnxruntime/capi/__init__.py </dev/null
stub libcublasLt.so.11
lib "$S/onnxruntime/capi/libonnxruntime_providers_cuda.so" -Wl,--no-as-needed stubs/libcublasLt.so.11 \
  <<<'int p(void) { return 0; }'
rm -r stubs
dist onnxruntime-gpu 1.17.0 cp310-cp310-manylinux_2_17_x86_64 onnxruntime
nvlib cublas libcublasLt.so.13
dist nvidia-cublas 13.0.0.19 py3-none-manylinux_2_27_x86_64 nvidia
