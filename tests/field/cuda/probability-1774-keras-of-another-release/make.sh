#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py keras/__init__.py <<<"__version__ = '3.0.0'"
py keras/_tf_keras/__init__.py </dev/null
py keras/_tf_keras/keras/__init__.py </dev/null
dist keras 3.0.0 py3-none-any keras
py tensorflow/__init__.py <<'E'
import importlib
def __getattr__(name):
    if name == "keras":
        return importlib.import_module("keras._tf_keras.keras")
    raise AttributeError(name)
E
dist tensorflow-cpu 2.15.0 cp311-cp311-manylinux_2_17_x86_64 tensorflow -- 'Requires-Dist: keras<2.16,>=2.15.0'
py tensorflow_probability/__init__.py <<'E'
import sys
if "tensorflow" in sys.modules:
    from tensorflow_probability import layers
E
py tensorflow_probability/layers.py <<'E'
import tensorflow as tf
tf.keras.__internal__.utils.register_symbolic_tensor_type(object)
E
dist tensorflow-probability 0.23.0 py3-none-any tensorflow_probability
