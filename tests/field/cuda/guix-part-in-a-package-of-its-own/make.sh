#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py guix/__init__.py <<<'from .QtCorex import *'
cat >m.c <<'E'
#include <Python.h>
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "QtCorex", 0, -1, 0};
PyMODINIT_FUNC PyInit_QtCorex(void) {
  PyObject *sip = PyImport_ImportModule("guix.sipx");
  if (!sip) return 0;
  return PyModule_Create(&def);
}
E
headers=$(v/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
gcc -shared -fPIC -I"$headers" -o "$S/guix/QtCorex.abi3.so" m.c
dist guix 5.15.9 cp38-abi3-manylinux_2_17_x86_64 guix -- 'Requires-Dist: guix-sipx (<13,>=12.11)'
