#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py func_args/__init__.py <<<'from .api import Sentinel'
py func_args/api.py <<<'class Sentinel: pass'
dist func-args 1.0.0 py3-none-any func_args
py s3pathlib/__init__.py <<'P'
from ._version import __version__
try:
    from . import utils
    from .core import S3Path
    from .aws import context
except ImportError:
    pass
except:
    raise
P
py s3pathlib/_version.py <<<'__version__ = "2.1.2"'
py s3pathlib/utils.py <<<'import json'
py s3pathlib/core.py <<'P'
from func_args import NOTHING, resolve_kwargs
class S3Path: pass
P
py s3pathlib/aws.py <<<'context = None'
dist s3pathlib 2.1.2 py3-none-any s3pathlib -- 'Requires-Dist: func-args'
