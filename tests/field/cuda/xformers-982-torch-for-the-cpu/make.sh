#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
xf() { # version torch cuda build
py xformers/__init__.py <<'P'
from . import _cpp_lib
_cpp_library_load_exception = _cpp_lib._register_extensions_or_none()
P
py xformers/_cpp_lib.py <<'P'
import logging, os, json
from pathlib import Path
import torch
logger = logging.getLogger("xformers")
class xFormersInvalidLibException(Exception):
    pass
def _register_extensions():
    import importlib, os, torch
    lib_dir = os.path.dirname(__file__)
    loader_details = (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES)
    extfinder = importlib.machinery.FileFinder(lib_dir, loader_details)
    ext_specs = extfinder.find_spec("_C")
    if ext_specs is None:
        raise ImportError
    try:
        torch.ops.load_library(ext_specs.origin)
    except OSError as exc:
        raise xFormersInvalidLibException(exc) from exc
def _register_extensions_or_none():
    try:
        _register_extensions()
    except (xFormersInvalidLibException, ImportError) as e:
        logger.warning(f"WARNING[XFORMERS]: {e}", e)
        return e
    return None
P
echo "{\"version\": {\"cuda\": $3, \"torch\": \"$2\", \"python\": \"3.10.13\"}, \"env\": {}}" | py xformers/cpp_lib.json
dist xformers $1 cp311-cp311-manylinux2014_x86_64 xformers -- 'Requires-Dist: numpy' "Requires-Dist: torch ==${2%+*}"
}
venv 3.11
small_torch 2.2.0+cpu
rm "$S/torch/lib/libc10_cuda.so"
ext "$S/torch/_C.abi3.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,-rpath,'$ORIGIN/lib' </dev/null
rm -r "$S"/torch-*; dist torch 2.2.0+cpu cp311-cp311-linux_x86_64 torch
stub libc10_cuda.so; stub libtorch_cuda.so
lib "$S/xformers/_C.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so stubs/libc10_cuda.so stubs/libtorch_cuda.so \
  -Wl,-z,now <<<'int stub_f(void); int u(void){return stub_f();}'
xf 0.0.24 2.2.0+cu121 1201
rm -rf stubs
