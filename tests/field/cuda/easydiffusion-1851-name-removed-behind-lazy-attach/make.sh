#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py huggingface_hub/__init__.py <<'E'
import importlib
import os
import sys
from typing import TYPE_CHECKING
__version__ = "0.26.0"
_SUBMOD_ATTRS = {
    "file_download": ["hf_hub_download", "hf_hub_url", "try_to_load_from_cache"],
    "hf_api": ["HfApi", "model_info"],
}
def _attach(package_name, submodules=None, submod_attrs=None):
    if submod_attrs is None:
        submod_attrs = {}
    if submodules is None:
        submodules = set()
    else:
        submodules = set(submodules)
    attr_to_modules = {attr: mod for mod, attrs in submod_attrs.items() for attr in attrs}
    __all__ = list(submodules | attr_to_modules.keys())
    def __getattr__(name):
        if name in submodules:
            try:
                return importlib.import_module(f"{package_name}.{name}")
            except Exception as e:
                print(f"Error importing {package_name}.{name}: {e}")
                raise
        elif name in attr_to_modules:
            submod_path = f"{package_name}.{attr_to_modules[name]}"
            try:
                submod = importlib.import_module(submod_path)
            except Exception as e:
                print(f"Error importing {submod_path}: {e}")
                raise
            attr = getattr(submod, name)
            if name == attr_to_modules[name]:
                pkg = sys.modules[package_name]
                pkg.__dict__[name] = attr
            return attr
        else:
            raise AttributeError(f"No {package_name} attribute {name}")
    def __dir__():
        return __all__
    return __getattr__, __dir__
__getattr__, __dir__ = _attach(__name__, submodules=[], submod_attrs=_SUBMOD_ATTRS)
if os.environ.get("EAGER_IMPORT", ""):
    for attr in __all__:
        __getattr__(attr)
E
py huggingface_hub/file_download.py <<E
def hf_hub_download(): pass
def hf_hub_url(): pass
def try_to_load_from_cache(): pass
E
py huggingface_hub/hf_api.py <<E
class HfApi:
    def model_info(self): pass
api = HfApi()
model_info = api.model_info
E
dist huggingface-hub 0.26.0 py3-none-any huggingface_hub
py diffusers/__init__.py <<'E'
__version__ = "0.21.4"
from .utils import get_class_from_dynamic_module
E
py diffusers/utils/__init__.py <<<'from .dynamic_modules_utils import get_class_from_dynamic_module'
py diffusers/utils/dynamic_modules_utils.py <<'E'
from huggingface_hub import cached_download, hf_hub_download, model_info
def get_class_from_dynamic_module(): pass
E
dist diffusers 0.21.4 py3-none-any diffusers -- 'Requires-Dist: huggingface-hub>=0.13.2'
