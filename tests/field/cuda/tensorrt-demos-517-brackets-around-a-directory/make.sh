#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.9
stub libnvinferx.so.8
ext "$S/trtx/engine.so" -Wl,--no-as-needed stubs/libnvinferx.so.8 </dev/null
py trtx/__init__.py <<<'from . import engine'
dist trtx 8.2.1.8 cp39-none-linux_x86_64 trtx
mkdir -p TensorRT-8.2.1.8; mv stubs TensorRT-8.2.1.8/lib
