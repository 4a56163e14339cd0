#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py numpy/__init__.py <<<'__version__ = "1.26.4"'; dist numpy 1.26.4 py3-none-any numpy
py cv2/__init__.py <<'E'
import importlib
import sys
def bootstrap():
    native = importlib.import_module("cv2.cv2")
    for name, item in vars(native).items():
        if not name.startswith("__"):
            setattr(sys.modules["cv2"], name, item)
    importlib.import_module("cv2.gapi")
bootstrap()
E
py cv2/gapi/__init__.py <<'E'
import cv2 as cv
GStreamerPipeline = cv.gapi_wip_gst_GStreamerPipeline
E
ext "$S/cv2/cv2.abi3.so" <<<'int of_the_newer;'
dist opencv-contrib-python 4.7.0.72 cp37-abi3-manylinux_2_17_x86_64 cv2
ext "$S/cv2/cv2.abi3.so" <<<'int of_the_older_release;'
rm -r "$S/cv2/gapi"; dist opencv-python-headless 4.2.0.34 cp37-abi3-manylinux_2_17_x86_64 cv2
py cv2/gapi/__init__.py <<'E'
import cv2 as cv
GStreamerPipeline = cv.gapi_wip_gst_GStreamerPipeline
E
