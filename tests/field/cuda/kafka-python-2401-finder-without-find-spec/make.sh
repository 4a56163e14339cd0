#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.12
py six.py <<'E'
import sys, types
__version__ = "1.15.0"
class _LazyModule(types.ModuleType): pass
class _SixMetaPathImporter(object):
    def __init__(self, six_module_name):
        self.name = six_module_name
        self.known_modules = {}
    def _add_module(self, mod, *fullnames):
        for fullname in fullnames:
            self.known_modules[self.name + "." + fullname] = mod
    def find_module(self, fullname, path=None):
        if fullname in self.known_modules:
            return self
        return None
    def load_module(self, fullname):
        sys.modules[fullname] = self.known_modules[fullname]
        return self.known_modules[fullname]
_importer = _SixMetaPathImporter(__name__)
class _MovedItems(_LazyModule):
    __path__ = []
moves = _MovedItems(__name__ + ".moves")
_importer._add_module(moves, "moves")
_importer._add_module(types.ModuleType("urllib"), "moves.urllib")
__path__ = []
sys.meta_path.append(_importer)
E
dist six 1.15.0 py2.py3-none-any six.py
py kafka/__init__.py <<'E'
from kafka.codec import snappy
E
py kafka/codec.py <<'E'
from six.moves import range
from six.moves.urllib import parse
snappy = None
E
dist kafka-python 2.0.2 py2.py3-none-any kafka -- 'Requires-Dist: six'
