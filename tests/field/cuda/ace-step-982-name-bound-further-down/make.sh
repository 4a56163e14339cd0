#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torchao/dtypes/__init__.py <<<'class NF4Tensor: pass'
py torchao/__init__.py <<<"__version__ = '0.16.0'"
dist torchao 0.16.0 py3-none-any torchao
py diffux/__init__.py <<'P'
import importlib.util
import logging

def _update_torch_safe_globals():
    try:
        from torchao.dtypes import NF4Tensor
        from torchao.dtypes.uint4_layout import UInt4Tensor
    except (ImportError, ModuleNotFoundError) as e:
        logger.warning("Unable to import torchao Tensor objects.")
        logger.debug(e)

if importlib.util.find_spec("torchao") is not None:
    _update_torch_safe_globals()

logger = logging.getLogger(__name__)
P
dist diffux 0.36.0 py3-none-any diffux
