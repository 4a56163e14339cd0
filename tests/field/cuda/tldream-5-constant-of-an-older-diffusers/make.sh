#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py diffusers/__init__.py <<<'__version__ = "0.30.2"'
py diffusers/utils/__init__.py <<<'class BaseOutput: pass'
dist diffusers 0.30.2 py3-none-any diffusers
py tldream/__init__.py </dev/null
py tldream/util.py <<<'from diffusers.utils import DIFFUSERS_CACHE'
dist tldream 0.6.1 py3-none-any tldream -- 'Requires-Dist: diffusers (>=0.14.0)'
