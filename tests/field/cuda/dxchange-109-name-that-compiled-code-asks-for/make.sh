#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py numpy/__init__.py <<'P'
__version__ = "1.24.4"
def __getattr__(name):
    raise AttributeError("module {!r} has no attribute {!r}".format(__name__, name))
P
dist numpy 1.24.4 cp311-cp311-manylinux_2_17_x86_64 numpy
py h5x/__init__.py <<<'from h5x import h5t'
gcc -shared -fPIC -o "$S/h5t.so" -xc - <<'C'
typedef struct object object;
object *PyImport_ImportModule(const char *), *PyObject_GetAttrString(object *, const char *);
object *PyModule_Create2(void *, int);
static struct { long refs; void *type, *init; long index; void *copy; const char *name, *doc; long size;
  void *methods, *slots, *traverse, *clear, *release; } definition = {1, 0, 0, 0, 0, "h5t", 0, -1};
object *PyInit_h5t(void) {
  object *module = PyModule_Create2(&definition, 1013), *numpy = PyImport_ImportModule("numpy");
  return numpy && PyObject_GetAttrString(numpy, "typeDict") ? module : 0;
}
C
mv "$S/h5t.so" "$S/h5x/h5t.cpython-311-x86_64-linux-gnu.so"
dist h5x 2.10.0 cp311-cp311-manylinux_2_17_x86_64 h5x -- 'Requires-Dist: numpy>=1.7'
