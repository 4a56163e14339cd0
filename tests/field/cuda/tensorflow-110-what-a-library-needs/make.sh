#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
stub libnvJitLink.so.12
py nvidia/__init__.py </dev/null
lib "$S/nvidia/cusolver/lib/libcusolver.so.11" -Wl,--no-as-needed stubs/libnvJitLink.so.12 \
  -Wl,-rpath,'$ORIGIN/../../nvjitlink/lib' </dev/null
rm -r stubs
py tensorflow/__init__.py <<<'from tensorflow import _pywrap_tensorflow_internal'
ext "$S/tensorflow/_pywrap_tensorflow_internal.so" -Wl,-rpath,'$ORIGIN/../nvidia/cusolver/lib' <<'E'
void *dlopen(const char *, int);
void *opened(void) { return dlopen("libcusolver.so.11", 1); }
E
dist nvidia-tensorflow 1.15.5+nv23.3 py3-none-linux_x86_64 tensorflow
dist nvidia-cusolver-cu12 11.4.5.107 py3-none-manylinux1_x86_64 nvidia
