#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py cuda/bindings/__init__.py <<<"__version__ = '13.0.0'"
py cuda/bindings/driver.py <<<'x = 1'
dist cuda-bindings 13.0.0 cp311-cp311-manylinux_2_24_x86_64 cuda/bindings
mkdir -p service
echo 'from cuda.bindings import driver' >service/cuda.py
echo 'import cuda.bindings' >service/main.py
