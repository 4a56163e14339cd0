#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.4.0

py pytorch3d/__init__.py <<<'__version__ = "0.7.2"'
ext "$S/pytorch3d/_C.abi3.so" -Wl,--no-as-needed "-L$S/torch/lib" -l:libc10.so </dev/null
dist pytorch3d 0.7.2 cp311-cp311-linux_x86_64 pytorch3d -- 'Requires-Dist: iopath; extra == "x"'
