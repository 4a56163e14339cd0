#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
lib "$S/nvidia/cuda_runtime/lib/libcudart.so.12" <<<'int cudaMalloc(void) { return 0; }'
py nvidia/__init__.py </dev/null
py nvidia/cuda_runtime/__init__.py </dev/null
dist nvidia-cuda-runtime-cu12 12.6.77 py3-none-manylinux2014_x86_64 nvidia
lib "$S/llama_cpp/lib/libggml-cuda.so" -Wl,--no-as-needed "$S/nvidia/cuda_runtime/lib/libcudart.so.12" \
  -Wl,-rpath,'$ORIGIN' <<<'int ggml_cuda_init(void) { return 0; }'
lib "$S/llama_cpp/lib/libllama.so" -Wl,--no-as-needed "$S/llama_cpp/lib/libggml-cuda.so" \
  -Wl,-rpath-link,"$S/nvidia/cuda_runtime/lib" -Wl,-rpath,'$ORIGIN' <<<'int llama_backend_init(void) { return 0; }'
py llama_cpp/__init__.py <<'E'
from .llama_cpp import *
__version__ = "0.3.21"
E
py llama_cpp/_ctypes_extensions.py <<'E'
from __future__ import annotations
import sys
import os
import ctypes
import functools
import pathlib
from typing import Any, Callable, List, Union
def load_shared_library(lib_base_name: str, base_path: pathlib.Path):
    """Platform independent shared library loader"""
    lib_paths: List[pathlib.Path] = []
    if sys.platform.startswith("linux") or sys.platform.startswith("freebsd"):
        lib_paths += [
            base_path / f"lib{lib_base_name}.so",
        ]
    elif sys.platform == "darwin":
        lib_paths += [
            base_path / f"lib{lib_base_name}.so",
            base_path / f"lib{lib_base_name}.dylib",
        ]
    else:
        raise RuntimeError("Unsupported platform")
    cdll_args = dict()
    for lib_path in lib_paths:
        if lib_path.exists():
            try:
                return ctypes.CDLL(str(lib_path), **cdll_args)
            except Exception as e:
                raise RuntimeError(f"Failed to load shared library '{lib_path}': {e}")
    raise FileNotFoundError(f"Shared library with base name '{lib_base_name}' not found")
E
py llama_cpp/llama_cpp.py <<'E'
from __future__ import annotations
import os
import ctypes
import pathlib
from llama_cpp._ctypes_extensions import load_shared_library
_lib_base_name = "llama"
_override_base_path = os.environ.get("LLAMA_CPP_LIB_PATH")
_base_path = (pathlib.Path(os.path.abspath(os.path.dirname(__file__))) / "lib"
              if _override_base_path is None else pathlib.Path(_override_base_path))
_lib = load_shared_library(_lib_base_name, _base_path)
E
dist llama_cpp_python 0.3.21 cp310-cp310-linux_x86_64 llama_cpp
