#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py huggingface_hub/hf_api.py <<<'class HfApi: pass'
py huggingface_hub/__init__.py <<'E'
import importlib, os, sys
__version__ = "0.24.6"
_SUBMOD_ATTRS = {"hf_api": ["HfApi"]}
def _attach(package_name, submod_attrs):
    attr_to_modules = {attr: mod for mod, attrs in submod_attrs.items() for attr in attrs}
    __all__ = list(attr_to_modules.keys())
    def __getattr__(name):
        if name in attr_to_modules:
            submod = importlib.import_module(f"{package_name}.{attr_to_modules[name]}")
            attr = getattr(submod, name)
            if name == attr_to_modules[name]:
                sys.modules[package_name].__dict__[name] = attr
            return attr
        raise AttributeError(f"No {package_name} attribute {name}")
    def __dir__():
        return __all__
    return __getattr__, __dir__, list(__all__)
__getattr__, __dir__, __all__ = _attach(__name__, submod_attrs=_SUBMOD_ATTRS)
E
dist huggingface-hub 0.24.6 py3-none-any huggingface_hub
echo 'from huggingface_hub import HfApi, ModelFilter' >app.py
