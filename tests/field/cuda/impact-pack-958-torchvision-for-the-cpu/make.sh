#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
small_torch 2.1.2+cu121
py torchvision/__init__.py <<<'import torch'; lib "$S/torchvision/_C.so" -Wl,--no-as-needed \
  "$S"/torch/lib/libtorch.so <<<'int a;'
dist torchvision 0.16.2+cpu cp311-cp311-linux_x86_64 torchvision -- 'Requires-Dist: torch ==2.1.2'
