#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
tag=pp310-pypy310_pp73-manylinux_2_28_x86_64
d=$PWD/d; i=$d/ujx-1.0.dist-info; mkdir -p "$d/ujx" "$i"
gcc -shared -fPIC -o "$d/ujx/_u.pypy310-pp73-x86_64-linux-gnu.so" -xc - <<'E'
void *PyPyModule_Create2(void *, int);
void *PyInit__u(void) { return PyPyModule_Create2(0, 0); }
E
echo 'from ujx._u import *' >"$d/ujx/__init__.py"
printf 'Metadata-Version: 2.1\nName: ujx\nVersion: 1.0\n' >"$i/METADATA"
printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: %s\n' $tag >"$i/WHEEL"
(cd "$d"; find . -type f | sed 's|^./||;s|$|,,|' >"$i/RECORD"; python3 -m zipfile -c ../ujx-1.0-$tag.whl ./*)
venv 3.11
