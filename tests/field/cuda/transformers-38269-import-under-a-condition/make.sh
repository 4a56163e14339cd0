#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torch/__init__.py <<<'from .version import __version__'
py torch/version.py <<<"__version__ = '2.4.0+cu121'"
py torch/distributed/__init__.py </dev/null
py torch/distributed/tensor.py <<<'class Replicate: pass'
dist torch 2.4.0 cp311-cp311-manylinux1_x86_64 torch
py scipy/__init__.py <<<"__version__ = '1.15.3'"
dist scipy 1.15.3 py3-none-any scipy
py transformers/__init__.py <<<'from .integrations import tensor_parallel'
py transformers/integrations/__init__.py </dev/null
py transformers/utils.py <<'E'
import torch
def parse(release):
    return [int(part) for part in release.split("+")[0].split(".")]
def is_torch_greater_or_equal(release):
    return parse(torch.__version__) >= parse(release)
E
py transformers/integrations/tensor_parallel.py <<'E'
from ..utils import is_torch_greater_or_equal

if is_torch_greater_or_equal("2.5"):
    from torch.distributed.tensor import Replicate

class Layer:
    def __init__(self, *, input_layouts=None): self.layouts = input_layouts or Replicate()

class ParallelInterface:
    _global_mapping = {"rowwise_rep": Layer(input_layouts=Replicate())}
E
dist transformers 4.52.2 py3-none-any transformers -- 'Provides-Extra: torch' 'Provides-Extra: flax' \
  'Requires-Dist: torch<2.7,>=2.1; extra == "torch"' 'Requires-Dist: scipy<1.13.0; extra == "flax"'
