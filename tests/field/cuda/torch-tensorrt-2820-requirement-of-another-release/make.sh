#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.4.0
stub libnvinfer.so.10; stub libnvinfer_plugin.so.10
py torch_tensorrt/__init__.py <<'E'
import os
import torch
torch.ops.load_library(os.path.join(os.path.dirname(__file__), "lib", "libtorchtrt.so"))
E
lib "$S/torch_tensorrt/lib/libtorchtrt.so" -Wl,--no-as-needed \
  stubs/libnvinfer.so.10 stubs/libnvinfer_plugin.so.10 </dev/null
rm -r stubs
dist torch-tensorrt 2.4.0 cp311-cp311-linux_x86_64 torch_tensorrt -- 'Requires-Dist: torch>=2.4.0.dev' \
  'Requires-Dist: tensorrt==10.0.1'
lib "$S/tensorrt_libs/libnvinfer.so.8" </dev/null; lib "$S/tensorrt_libs/libnvinfer_plugin.so.8" </dev/null
dist tensorrt-libs 8.6.1 py2.py3-none-manylinux_2_17_x86_64 tensorrt_libs
py tensorrt/__init__.py </dev/null
dist tensorrt 8.6.1 py2.py3-none-any tensorrt -- 'Requires-Dist: tensorrt-libs==8.6.1'
