#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.10
for p in cudnnx cudnnx_ops_infer cudnnx_cnn_infer cudnnx_adv_infer cudnnx_ops_train cudnnx_cnn_train \
  cudnnx_adv_train; do nvlib cudnnx lib$p.so.8; done; dist nvidia-cudnnx-cu11 8.5.0.96 py3-none-manylinux1_x86_64 \
  nvidia
py paddle/__init__.py <<<'from .fluid import core'
py paddle/fluid/__init__.py </dev/null
py paddle/fluid/core.py <<<'from . import libpaddle'
ext "$S/paddle/fluid/libpaddle.so" <<<'void *dlopen(const char*,int); const char *n="libcudnnx.so";
const char *m="The third-party dynamic library (%s) that Paddle depends on is not configured correctly.";
void *o(void){return dlopen(n,1);}'
dist paddlepaddle-gpu 2.4.1 cp310-cp310-manylinux1_x86_64 paddle
