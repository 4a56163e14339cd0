#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
stub libggml.so
py llama_cpp/__init__.py <<<'from .llama_cpp import *'
py llama_cpp/llama_cpp.py <<'E'
import ctypes, pathlib
_path = pathlib.Path(__file__).resolve().parent / "libllama.so"
try:
    _lib = ctypes.CDLL(str(_path))
except Exception as e:
    raise RuntimeError(f"Failed to load shared library '{_path}': {e}")
E
lib "$S/llama_cpp/libllama.so" -Wl,--no-as-needed stubs/libggml.so -Wl,-rpath,'$ORIGIN' </dev/null
rm -r stubs
dist llama-cpp-python 0.2.79 cp311-cp311-linux_x86_64 llama_cpp
