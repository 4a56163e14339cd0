#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py cuda/bindings/__init__.py <<<'from . import driver'
py cuda/bindings/driver.py </dev/null
for name in cuda cudart nvrtc; do
  ext "$S/cuda/$name.cpython-311-x86_64-linux-gnu.so" </dev/null
  py cuda/$name.pyx </dev/null
done
dist cuda-bindings 12.8.0 cp311-cp311-manylinux_2_17_x86_64 cuda
# pip removes what cuda-python 12.6.0 listed, after the files of 12.8.0 were written
rm "$S"/cuda/*.so "$S"/cuda/*.pyx
dist cuda-python 12.8.0 py3-none-any cuda/bindings/driver.py -- 'Requires-Dist: cuda-bindings~=12.8.0'
