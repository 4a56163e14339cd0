#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/llama_cpp
cat >$S/llama_cpp/__init__.py <<'E'
from .llama_cpp import *
__version__ = "0.2.28"
E
cat >$S/llama_cpp/llama_cpp.py <<'E'
import ctypes
import os
import pathlib
import sys

def _load_shared_library(lib_base_name):
    _base_path = pathlib.Path(os.path.abspath(os.path.dirname(__file__)))
    _lib_paths = [_base_path / f"{lib_base_name}.dll", _base_path / f"lib{lib_base_name}.dll"]
    cdll_args = dict()
    if sys.platform == "win32" and sys.version_info >= (3, 8):
        os.add_dll_directory(str(_base_path))
        if "CUDA_PATH" in os.environ:
            os.add_dll_directory(os.path.join(os.environ["CUDA_PATH"], "bin"))
            os.add_dll_directory(os.path.join(os.environ["CUDA_PATH"], "lib"))
        cdll_args["winmode"] = ctypes.RTLD_GLOBAL
    for _lib_path in _lib_paths:
        if _lib_path.exists():
            try:
                return ctypes.CDLL(str(_lib_path), **cdll_args)
            except Exception as e:
                raise RuntimeError(f"Failed to load shared library '{_lib_path}': {e}")
    raise FileNotFoundError(f"Shared library with base name '{lib_base_name}' not found")

_lib = _load_shared_library("llama")
E
stub $S/llama_cpp/llama.dll --exports llama_init --imports KERNEL32.dll:Sleep
