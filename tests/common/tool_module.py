"""The programs in tools/ as modules, whose functions tests ask."""

import importlib.machinery
import importlib.util
import os

from pinned import PROJECT


def tool_module(name):
    path = os.path.join(PROJECT, "tools", name)
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module
