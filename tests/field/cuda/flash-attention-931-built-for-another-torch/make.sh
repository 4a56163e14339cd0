#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.8.0+cu128

py flash_attn/__init__.py <<E
__version__ = "2.5.8"
from flash_attn.flash_attn_interface import flash_attn_func
E
py flash_attn/flash_attn_interface.py <<E
import torch
import flash_attn_2_cuda as flash_attn_cuda
def flash_attn_func(q):
    return flash_attn_cuda.fwd(q)
E
ext "$S/flash_attn_2_cuda.abi3.so" -Wl,--no-as-needed -L"$S/torch/lib" -l:libc10_cuda.so -l:libc10.so <<'E'
void _ZN3c104cuda9SetDeviceEi(int); void use(void) { _ZN3c104cuda9SetDeviceEi(0); }
E
dist flash-attn 2.5.8 cp311-cp311-linux_x86_64 flash_attn flash_attn_2_cuda.abi3.so -- 'Requires-Dist: torch'
