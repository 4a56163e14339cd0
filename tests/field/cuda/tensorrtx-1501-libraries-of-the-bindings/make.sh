#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.9
stub libnvinfer.so.10; stub libnvonnxparser.so.10
py tensorrt_bindings/__init__.py <<<'from .tensorrt import *'
ext "$S/tensorrt_bindings/tensorrt.so" -Wl,--no-as-needed stubs/libnvinfer.so.10 stubs/libnvonnxparser.so.10 </dev/null
dist tensorrt_cu12_bindings 10.0.1 cp39-none-manylinux_2_17_x86_64 tensorrt_bindings
rm -r stubs
