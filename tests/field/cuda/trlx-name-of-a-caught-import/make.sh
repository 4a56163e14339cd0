#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py trlx/__init__.py <<<'from .trainer import T'
py trlx/trainer.py <<'E'
try:
    from accelerate import Accelerator
    from accelerate.utils import DistributedType
except ImportError:
    pass
class T:
    kind = DistributedType
E
dist trlx 0.7 py3-none-any trlx -- 'Requires-Dist: accelerate>=0.20; extra == "train"'
