#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.1.0+cu121
py torch/version.py <<<"__version__ = '2.1.0+cu121'
cuda = '12.1'"
nvlib cuda_runtime libcudart.so.12
lib "$S/torch/lib/libtorch_cuda.so" -Wl,--no-as-needed "$S/nvidia/cuda_runtime/lib/libcudart.so.12" \
  -Wl,-rpath,'$ORIGIN/../../nvidia/cuda_runtime/lib' <<<'int tc(void){return 0;}'
ext "$S/torch/_C.abi3.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,-rpath,'$ORIGIN/lib' </dev/null
rm -r "$S"/torch-*; dist torch 2.1.0+cu121 cp311-cp311-linux_x86_64 torch
dist nvidia-cuda-runtime-cu12 12.1.105 py3-none-manylinux1_x86_64 nvidia
