#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py tensorflow/__init__.py <<<'from tensorflow.python import pywrap_tensorflow'
py tensorflow/python/__init__.py <<<'from tensorflow.python import pywrap_tensorflow'
py tensorflow/python/pywrap_tensorflow.py <<'E'
def TFE_ContextOptionsSetConfig(arg1, proto):
    return None
def TFE_ContextOptionsSetAsync(arg1, async):
    return None
E
dist tensorflow 1.9.0 cp36-cp36m-manylinux1_x86_64 tensorflow
