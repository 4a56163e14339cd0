#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.8
small_torch 1.12.0+cu116
stub libtorch_hip.so; stub libc10_hip.so
py torchaudio/__init__.py <<<'from torchaudio import _extension'
py torchaudio/_extension.py <<'P'
import os
from pathlib import Path
import torch
def _init_extension():
    path = Path(__file__).parent / "lib" / "libtorchaudio.so"
    torch.ops.load_library(path)
_init_extension()
P
lib "$S/torchaudio/lib/libtorchaudio.so" -Wl,--no-as-needed "$S"/torch/lib/libtorch.so "$S"/torch/lib/libc10.so \
  stubs/libc10_hip.so stubs/libtorch_hip.so <<<'int a;'
dist torchaudio 0.12.0+rocm5.1.1 cp38-cp38-linux_x86_64 torchaudio -- 'Requires-Dist: torch'
rm -rf stubs
