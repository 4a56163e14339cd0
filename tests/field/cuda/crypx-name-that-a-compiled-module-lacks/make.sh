#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py crypx/__init__.py <<<'from crypx._lib import lib_version, NEWFLAG'
cat >m.c <<'E'
#include <Python.h>
static PyObject *lib_version(PyObject *s, PyObject *a) { return PyLong_FromLong(1); }
static PyMethodDef methods[] = {{"lib_version", lib_version, METH_NOARGS, 0}, {0, 0, 0, 0}};
static struct PyModuleDef def = {PyModuleDef_HEAD_INIT, "_lib", 0, -1, methods};
PyMODINIT_FUNC PyInit__lib(void) { return PyModule_Create(&def); }
E
headers=$(v/bin/python -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
gcc -shared -fPIC -I"$headers" -o "$S/crypx/_lib.abi3.so" m.c
dist crypx 20.0 cp36-abi3-manylinux_2_17_x86_64 crypx
