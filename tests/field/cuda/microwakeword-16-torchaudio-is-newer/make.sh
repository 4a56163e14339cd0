#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
small_torch 2.9.0
py torchaudio/__init__.py <<<'from torchaudio import _extension'
py torchaudio/_extension.py <<'P'
from pathlib import Path
import torch
torch.ops.load_library(Path(__file__).parent / "lib" / "_torchaudio.so")
P
lib "$S/torchaudio/lib/_torchaudio.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,-z,now \
  <<<'int torch_library_impl(void); int u(void){return torch_library_impl();}'
dist torchaudio 2.11.0 cp311-cp311-manylinux_2_28_x86_64 torchaudio
