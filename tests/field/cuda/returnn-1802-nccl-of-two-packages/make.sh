#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
L=$S/nvidia/nccl/lib/libnccl.so.2
py torchx/__init__.py <<<'from torchx._C import *'
lib "$L" <<<'int ncclAllReduce(void){return 0;} int ncclMemFree(void){return 0;}'
lib "$S/torchx/lib/libtorch_cudax.so" -Wl,-z,now -Wl,-rpath,'$ORIGIN/../../nvidia/nccl/lib' "$L" \
  <<<'int ncclMemFree(void),ncclAllReduce(void); int t(void){return ncclMemFree()+ncclAllReduce();}'
ext "$S/torchx/_C.abi3.so" -Wl,--no-as-needed "$S/torchx/lib/libtorch_cudax.so" -Wl,-rpath,'$ORIGIN/lib' </dev/null
dist torchx 2.9.0 cp310-cp310-manylinux_2_28_x86_64 torchx -- 'Requires-Dist: nvidia-nccl-cu12==2.27.3'
dist nvidia-nccl-cu12 2.27.3 py3-none-manylinux2014_x86_64 nvidia
lib "$L" <<<'int ncclAllReduce(void){return 0;}'
dist nvidia-nccl-cu11 2.14.3 py3-none-manylinux1_x86_64 nvidia
