#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
jaxenv 0.4.30 0.4.30 0.4.30
sed -i 's/^Requires-Dist: nvidia-cudnn-cu12$/Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.1/' \
  "$S"/jax_cuda12_pjrt-*/METADATA
nvlib cudnn libcudnn.so.8; dist nvidia-cudnn-cu12 8.9.2.26 py3-none-manylinux1_x86_64 nvidia
small_torch 2.3.1; rm -r "$S"/torch-*; dist torch 2.3.1 cp311-cp311-manylinux1_x86_64 torch -- \
  'Requires-Dist: nvidia-cudnn-cu12==8.9.2.26'
