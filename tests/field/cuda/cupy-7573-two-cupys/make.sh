#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
cupyenv cupy-cuda11x 12.0.0 libcublas.so.11 libnvrtc.so.11.2
cupyenv cupy-cuda12x 12.0.0 libnvJitLink.so.12 libnvrtc.so.12
mkdir l; cp stubs/libcublas.so.11 l
rm -rf stubs
