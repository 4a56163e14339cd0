#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
R=opt/ros/kinetic/lib/python2.7/dist-packages; mkdir -p $R
gcc -shared -fPIC -o $R/cv2.so -xc - <<'E'
extern int PyCObject_Type[8];
void *Py_InitModule4_64(const char *, void *, void *, void *, int);
void initcv2(void) { Py_InitModule4_64("cv2", PyCObject_Type, 0, 0, 1013); }
E
py cv2/__init__.py <<<'from .cv2 import *'
ext "$S/cv2/cv2.abi3.so" </dev/null
dist opencv-python 4.5.1.48 cp39-cp39-manylinux2014_x86_64 cv2
