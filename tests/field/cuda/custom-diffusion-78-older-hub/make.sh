#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py huggingface_hub/__init__.py <<<'__version__ = "0.17.3"'
py huggingface_hub/utils/__init__.py <<<'class HfHubHTTPError(Exception): pass'
dist huggingface-hub 0.17.3 py3-none-any huggingface_hub
echo 'from huggingface_hub.utils import insecure_hashlib' >train.py
