#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py transformers/__init__.py <<<'__version__ = "4.48.1"'
py transformers/pytorch_utils.py <<<'is_torch_greater_or_equal_than_2_3 = True'
dist transformers 4.48.1 py3-none-any transformers
py shapes/__init__.py <<<'area_of_square_3 = 9'
dist shapes 1.4.2 py3-none-any shapes
echo 'from transformers.pytorch_utils import is_torch_greater_or_equal_than_1_13' >modeling_hymba.py
echo 'from shapes import area_of_square_2' >draw.py
