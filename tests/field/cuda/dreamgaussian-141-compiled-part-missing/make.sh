#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py charset_normalizer/__init__.py <<<'from charset_normalizer.api import from_bytes'
py charset_normalizer/api.py <<'E'
from charset_normalizer.md import mess_ratio
from_bytes = None
E
py charset_normalizer/md.py <<<'mess_ratio = None'
make() {
  gcc -shared -fPIC -o "$S/charset_normalizer/md.abi3.so" -xc - <<'E'
void *PyImport_ImportModule(const char *), *PyObject_GetAttrString(void *, const char *);
typedef void *(*function)(void);
void *PyInit_md(void) {
  void *tmp = PyImport_ImportModule("charset_normalizer.md__mypyc");
  if (!tmp) return 0;
  return PyObject_GetAttrString(tmp, "init_charset_normalizer___md");
}
E
}
make
ext "$S/charset_normalizer/md__mypyc.abi3.so" </dev/null
dist charset-normalizer 3.1.0 cp39-cp39-manylinux_2_17_x86_64 charset_normalizer
rm "$S/charset_normalizer/md__mypyc.abi3.so"
