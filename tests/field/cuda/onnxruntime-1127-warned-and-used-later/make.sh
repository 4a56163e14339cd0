#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py onnxruntime/__init__.py <<'E'
__version__ = "1.12.1"
from onnxruntime.capi._pybind_state import RunOptions, SessionOptions
E
py onnxruntime/capi/__init__.py </dev/null
py onnxruntime/capi/_pybind_state.py <<'E'
import os
import warnings
try:
    from onnxruntime.capi.onnxruntime_pybind11_state import *  # noqa
except ImportError as e:
    warnings.warn("Cannot load onnxruntime.capi. Error: '{0}'".format(str(e)))
E
lib libcublas.so.11 <<<'int cublasCreate_v2(void){return 0;}'
ext "$S/onnxruntime/capi/onnxruntime_pybind11_state.abi3.so" -Wl,--no-as-needed libcublas.so.11 \
  </dev/null; rm libcublas.so.11
dist onnxruntime-gpu 1.12.1 cp310-cp310-manylinux_2_17_x86_64 onnxruntime
