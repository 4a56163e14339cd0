#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py onnxruntimex/__init__.py <<<'from onnxruntimex.capi import onnxruntime_validation'
py onnxruntimex/capi/__init__.py </dev/null
py onnxruntimex/capi/onnxruntime_validation.py <<<'x = 1'
dist onnxruntimex 1.19.0 cp311-cp311-linux_x86_64 onnxruntimex
mkdir -p clone/onnxruntimex/core clone/.git; cp "$S/onnxruntimex/__init__.py" clone/onnxruntimex/
echo 'import onnxruntimex as rt' >clone/example.py
