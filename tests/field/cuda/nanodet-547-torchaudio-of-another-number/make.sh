#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.8
small_torch 1.13.1
py torchaudio/__init__.py <<<'from torchaudio import _extension'
py torchaudio/_extension/__init__.py <<'P'
import os, sys
from torchaudio._internal.module_utils import fail_with_message, is_module_available, no_op
from .utils import _check_cuda_version, _load_lib
_IS_TORCHAUDIO_EXT_AVAILABLE = is_module_available("torchaudio.lib._torchaudio")
if _IS_TORCHAUDIO_EXT_AVAILABLE:
    _load_lib("libtorchaudio")
    import torchaudio.lib._torchaudio
P
py torchaudio/_internal/__init__.py </dev/null
py torchaudio/_internal/module_utils.py <<'P'
import importlib.util
def is_module_available(*modules):
    return all(importlib.util.find_spec(m) is not None for m in modules)
def fail_with_message(m): pass
def no_op(f): return f
P
py torchaudio/_extension/utils.py <<'P'
import os
from pathlib import Path
import torch
_LIB_DIR = Path(__file__).parent.parent / "lib"
def _get_lib_path(lib):
    suffix = "pyd" if os.name == "nt" else "so"
    return _LIB_DIR / f"{lib}.{suffix}"
def _load_lib(lib):
    path = _get_lib_path(lib)
    if not path.exists():
        return False
    torch.ops.load_library(path)
    torch.classes.load_library(path)
    return True
def _check_cuda_version(): pass
P
py torchaudio/lib/__init__.py </dev/null
ext "$S/torchaudio/lib/_torchaudio.so" </dev/null
lib "$S/torchaudio/lib/libtorchaudio.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,-z,now \
  <<<'int _ZNK3c107SymBool10guard_boolEPKcl(void); int u(void){return _ZNK3c107SymBool10guard_boolEPKcl();}'
dist torchaudio 2.1.2 cp38-cp38-manylinux1_x86_64 torchaudio -- 'Requires-Dist: torch ==2.1.2'
