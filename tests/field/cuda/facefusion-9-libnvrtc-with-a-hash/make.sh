#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
T=$S/torchx/lib; lib "$T/libnvrtcx-672ee683.so.11.2" <<<'int nvrtcVersion(void) { return 0; }'
lib "$T/libcudnn_cnn_infer.so.8" -Wl,-rpath,'$ORIGIN' <<<'#include <dlfcn.h>
int cudnnX(void) { return !dlopen("libnvrtcx.so", RTLD_LAZY); }'
ext "$S/torchx/_C.abi3.so" -Wl,--no-as-needed "$T/libcudnn_cnn_infer.so.8" -Wl,-rpath,'$ORIGIN/lib' </dev/null
py torchx/__init__.py <<<'from . import _C'
dist torchx 2.0.1 cp311-cp311-linux_x86_64 torchx
