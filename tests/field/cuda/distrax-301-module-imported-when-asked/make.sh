#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py lowx/__init__.py <<<"__version__ = '0.7.0'"
py lowx/xla.py <<'P'
_removed = {"mappings": "lowx.xla.mappings was deprecated in LowX v0.5.0 and removed in LowX v0.7.0."}
def __getattr__(name):
    if name in _removed:
        raise AttributeError(_removed[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
P
dist lowx 0.7.0 py3-none-any lowx
py probx/lazy_loader.py <<'P'
import importlib
import types
class LazyLoader(types.ModuleType):
    def __init__(self, local_name, parent_module_globals, name):
        self._local_name = local_name
        self._parent_module_globals = parent_module_globals
        super(LazyLoader, self).__init__(name)
    def _load(self):
        module = importlib.import_module(self.__name__)
        if self._parent_module_globals is not None:
            self._parent_module_globals[self._local_name] = module
            self._parent_module_globals = None
            self.__dict__.update(module.__dict__)
        return module
    def __getattr__(self, item):
        return getattr(self._load(), item)
P
py probx/__init__.py <<'P'
from probx import lazy_loader
jx = lazy_loader.LazyLoader('jx', globals(), 'probx.jx')
P
py probx/jx/__init__.py <<<'from probx.jx import bijectors'
py probx/jx/bijectors.py <<'P'
from lowx import xla
known = xla.mappings
P
dist probx 0.25.0 py3-none-any probx -- 'Requires-Dist: lowx'
py distx/__init__.py <<'P'
from probx import jx as tfp
tfb = tfp.bijectors
P
dist distx 0.1.5 py3-none-any distx -- 'Requires-Dist: probx'
