#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
# What it binds is made of tables, as the API of TensorFlow is.
py tensorflow/__init__.py <<'E2'
import sys
from tensorflow.tables import names
for _name in names:
    setattr(sys.modules[__name__], _name, object())
E2
py tensorflow/tables.py <<'E2'
import os
names = [entry[:-4] for entry in os.listdir(os.path.dirname(__file__)) if entry.endswith(".api")]
E2
dist tensorflow 2.16.1 cp311-cp311-manylinux_2_17_x86_64 tensorflow
cat > train.py <<'E2'
import tensorflow as tf
x = tf.placeholder(None, [None, 784])
E2
