#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
cupyenv cupy-cuda11x 13.0.0 libcublas.so.11 libnvrtc.so.11.2
nvlib cuda_nvrtc libnvrtc.so.12; dist nvidia-cuda-nvrtc-cu12 12.4.127 py3-none-manylinux2014_x86_64 nvidia/cuda_nvrtc
nvlib cublas libcublas.so.12; dist nvidia-cublas-cu12 12.4.5.8 py3-none-manylinux2014_x86_64 nvidia/cublas
rm -rf stubs
