#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py tensorflow/__init__.py <<<"__version__ = '1.8.0'"; py tensorflow/python/__init__.py </dev/null
py tensorflow/python/keras/__init__.py </dev/null; py tensorflow/python/keras/utils/__init__.py </dev/null
dist tensorflow-gpu 1.8.0 cp36-cp36m-manylinux1_x86_64 tensorflow
py keras/__init__.py <<<'from tensorflow.python.keras.utils import tf_utils'
dist Keras 2.3.1 py2.py3-none-any keras
