#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.4.0

cat >>"$S/torch/__init__.py" <<<'from .nn import modules'
py torch/nn/__init__.py <<<'from . import modules
class Module: pass'
py torch/nn/modules.py <<<'import inspect'
mkdir proj; cat >proj/dis.py <<'E'
import torch.nn as nn
class Net(nn.Module):
    pass
E
