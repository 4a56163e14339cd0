#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py transformers/__init__.py <<'E'
__version__ = "5.5.0"
import sys
from .utils.import_utils import _LazyModule
_import_structure = {"utils": ["logging"]}
sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure, {"__version__": __version__})
E
py transformers/utils/__init__.py <<<'from .import_utils import _LazyModule'
py transformers/utils/import_utils.py <<'E'
import importlib
import os
from types import ModuleType
class _LazyModule(ModuleType):
    def __init__(self, name, module_file, import_structure, extra_objects=None):
        super().__init__(name)
        self._modules = set(import_structure)
        self._class_to_module = {value: key for key, values in import_structure.items() for value in values}
        self.__file__ = module_file
        self.__path__ = [os.path.dirname(module_file)]
        self._objects = extra_objects or {}
        self._name = name
    def __getattr__(self, name):
        if name in self._objects:
            return self._objects[name]
        if name in self._modules:
            return importlib.import_module("." + name, self._name)
        if name in self._class_to_module:
            return getattr(importlib.import_module("." + self._class_to_module[name], self._name), name)
        for key in sorted(os.listdir(self.__path__[0])):
            if key == name:
                return importlib.import_module("." + key, self._name)
        raise AttributeError(f"module {self._name} has no attribute {name}")
E
py transformers/generation/__init__.py <<'E'
import sys
from ..utils import _LazyModule
_import_structure = {"configuration_utils": ["GenerationConfig"]}
sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure)
E
py transformers/generation/configuration_utils.py <<<'class GenerationConfig: pass'
dist transformers 5.5.0 py3-none-any transformers
py safe/__init__.py <<<'from .sample import SAFEDesign'
py safe/sample.py <<'E'
from transformers.generation import DisjunctiveConstraint, PhrasalConstraint
class SAFEDesign: pass
E
dist safe-mol 0.1.14 py3-none-any safe -- 'Requires-Dist: transformers'
