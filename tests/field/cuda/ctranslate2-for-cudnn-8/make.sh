#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
lib "$S/nvidia/cudnn/lib/libcudnn_ops.so.9" <<<'int cudnnCreate(void){return 0;}'
lib "$S/nvidia/cudnn/lib/libcudnn.so.9" <<<'int cudnnGetVersion(void){return 90100;}'
py nvidia/cudnn/__init__.py </dev/null
dist nvidia-cudnn-cu12 9.1.0.70 py3-none-manylinux2014_x86_64 nvidia
lib "$PWD/stubs/libcudnn_ops_infer.so.8" <<<'int cudnnCreate(void){return 0;}'
own=libctranslate2-9e1f2a3b.so.4.4.0
lib "$S/ctranslate2.libs/$own" -Wl,--no-as-needed -Lstubs -l:libcudnn_ops_infer.so.8 \
  <<<'int ct2(void){return 0;}'
ext "$S/ctranslate2/_ext.cpython-311-x86_64-linux-gnu.so" \
  -Wl,--no-as-needed -L"$S/ctranslate2.libs" -l:$own \
  -Wl,-rpath,'$ORIGIN/../ctranslate2.libs' </dev/null
py ctranslate2/__init__.py <<<'from ctranslate2._ext import *'
dist ctranslate2 4.4.0 cp311-cp311-manylinux_2_17_x86_64 ctranslate2 ctranslate2.libs
py faster_whisper/__init__.py <<<'import ctranslate2'
dist faster-whisper 1.0.3 py3-none-any faster_whisper -- 'Requires-Dist: ctranslate2<5,>=4.0'
