#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py numpy/__init__.py <<<'__version__ = "1.26.4"'; dist numpy 1.26.4 py3-none-any numpy
py cv2/__init__.py <<<'from .cv2 import *'
py cv2/config.py <<<'LOADER = 1'
ext "$S/cv2/cv2.cpython-311-x86_64-linux-gnu.so" <<<'int of_the_older;'
dist opencv-python 4.5.1.48 cp311-cp311-manylinux_2_17_x86_64 cv2
rm "$S/cv2/__init__.py"; mv "$S"/cv2/cv2.cpython* .
py cv2/__init__.py <<'E'
import importlib
import sys
def bootstrap():
    native = importlib.import_module("cv2.cv2")
    for name, item in vars(native).items():
        if not name.startswith("__"):
            setattr(sys.modules["cv2"], name, item)
    importlib.import_module("cv2.typing")
bootstrap()
E
py cv2/typing/__init__.py <<'E'
import cv2
LayerId = cv2.dnn_DictValue
E
ext "$S/cv2/cv2.abi3.so" <<<'int of_the_newer_release;'
dist opencv-python-headless 4.9.0.80 cp37-abi3-manylinux_2_17_x86_64 cv2
mv cv2.cpython* "$S/cv2/"
