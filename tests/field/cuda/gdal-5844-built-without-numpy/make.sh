#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py numpy/__init__.py <<<'__version__ = "1.26.4"'; dist numpy 1.26.4 cp39-cp39-manylinux2014_x86_64 numpy
py osgeo/__init__.py <<'E'
def swig_import_helper():
    import importlib
    from os.path import dirname, basename
    mname = basename(dirname(__file__)) + '._gdal'
    return importlib.import_module(mname)
_gdal = swig_import_helper()
del swig_import_helper
__version__ = '3.5.0'
E
ext "$S/osgeo/_gdal.abi3.so" </dev/null
py osgeo/gdal_array.py <<'E'
from sys import version_info as _swig_python_version_info
if _swig_python_version_info < (2, 7, 0):
    raise RuntimeError("Python 2.7 or later required")
# Import the low-level C/C++ module
if __package__ or "." in __name__:
    from . import _gdal_array
else:
    import _gdal_array
E
dist GDAL 3.5.0 cp39-cp39-linux_x86_64 osgeo -- 'Provides-Extra: numpy' \
  "Requires-Dist: numpy (>1.0.0) ; extra == 'numpy'"
