#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
small_torch 2.7.1+cu126
py flash_attn/__init__.py <<<'import torch
import flash_attn_2_cuda as flash_attn_gpu'
mkdir stubs; echo 'GLIBC_2.99 { global: f; };' >stubs/map
lib stubs/libc.so.6 -nostdlib -Wl,--version-script=stubs/map <<<'int f(void) { return 0; }'
ext "$S/flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so" -nostdlib -Wl,--no-as-needed stubs/libc.so.6 \
  <<<'int f(void); int u(void) { return f(); }'
rm -r stubs
dist flash-attn 2.8.2+cu12torch2.7cxx11abiTRUE cp311-cp311-linux_x86_64 flash_attn \
  flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so -- 'Requires-Dist: torch' 'Requires-Dist: einops'
