#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py mmcv/__init__.py <<'E'
from .version import *
E
py mmcv/version.py <<<"__version__ = '2.0.1'"
py mmcv/utils/__init__.py </dev/null
py mmcv/utils/ext_loader.py <<'E'
import importlib
import pkgutil
def load_ext(name, funcs):
    ext = importlib.import_module('mmcv.' + name)
    for fun in funcs:
        assert hasattr(ext, fun), f'{fun} miss in module {name}'
    return ext
def check_ops_exist() -> bool:
    ext_loader = pkgutil.find_loader('mmcv._ext')
    return ext_loader is not None
E
py mmcv/ops/__init__.py <<<'from .active_rotated_filter import active_rotated_filter'
py mmcv/ops/active_rotated_filter.py <<'E'
from ..utils import ext_loader
ext_module = ext_loader.load_ext('_ext', ['active_rotated_filter_forward', 'active_rotated_filter_backward'])
active_rotated_filter = None
E
dist mmcv-lite 2.0.1 py2.py3-none-any mmcv
py mmdet/__init__.py <<'E'
import mmcv
E
py mmdet/apis/__init__.py <<<'from mmcv.ops import active_rotated_filter'
dist mmdet 3.1.0 py3-none-any mmdet
