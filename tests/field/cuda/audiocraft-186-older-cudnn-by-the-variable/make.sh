#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.9
small_torch 2.0.1+cu118
lib "$S/torch/lib/libcudnn.so.8" <<<'int cudnnGetVersion(void){return 8700;}'
mkdir -p cuda/lib64; lib cuda/lib64/libcudnn.so.8.6.0 -Wl,-soname,libcudnn.so.8 \
  <<<'int cudnnGetVersion(void){return 8600;}'; ln -s libcudnn.so.8.6.0 cuda/lib64/libcudnn.so.8
for p in ops_infer cnn_infer ops_train cnn_train adv_infer adv_train; do lib cuda/lib64/libcudnn_$p.so.8 <<<'int z;'
  lib $S/torch/lib/libcudnn_$p.so.8 <<<'int z;'; done
lib "$S/torch/lib/libtorch_cuda.so" -Wl,--no-as-needed "$S/torch/lib/libcudnn.so.8" \
  -Wl,--enable-new-dtags,-rpath,'$ORIGIN' <<<'int tc(void){return 0;}'
ext "$S/torch/_C.abi3.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,--enable-new-dtags,-rpath,'$ORIGIN/lib' \
  </dev/null
rm -r "$S"/torch-*; dist torch 2.0.1+cu118 cp39-cp39-linux_x86_64 torch
