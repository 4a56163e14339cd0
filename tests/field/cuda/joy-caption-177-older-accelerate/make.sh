#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py accelerate/__init__.py <<<'__version__ = "0.31.0"'
py accelerate/utils/__init__.py </dev/null
py accelerate/utils/memory.py <<<'def release_memory(*objects): return objects'
dist accelerate 0.31.0 py3-none-any accelerate
py peft/__init__.py <<<'from .loftq_utils import replace'
py peft/loftq_utils.py <<'E'
from accelerate.utils.memory import clear_device_cache
def replace(): clear_device_cache()
E
dist peft 0.17.1 py3-none-any peft -- 'Requires-Dist: accelerate>=0.21.0'
