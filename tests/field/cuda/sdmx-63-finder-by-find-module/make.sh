#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.8
py pkg_resources/extern/__init__.py <<'E'
import sys


class OldImporter:
    def __init__(self, root_name, known, below):
        self.root_name = root_name
        self.known = set(known)
        self.below = below

    def find_module(self, fullname, path=None):
        root, _, target = fullname.partition(self.root_name + ".")
        if root or not any(map(target.startswith, self.known)):
            return
        return self

    def load_module(self, fullname):
        target = fullname.partition(self.root_name + ".")[2]
        for prefix in (self.below + ".", ""):
            try:
                __import__(prefix + target)
                sys.modules[fullname] = module = sys.modules[prefix + target]
                return module
            except ImportError:
                pass
        raise ImportError(target)

    def install(self):
        if self not in sys.meta_path:
            sys.meta_path.append(self)


OldImporter(__name__, ("packaging", "appdirs"), "pkg_resources._vendor").install()
E
py pkg_resources/_vendor/__init__.py </dev/null
py pkg_resources/_vendor/appdirs.py <<<'def user_cache_dir(name): return name'
py pkg_resources/__init__.py <<<'from pkg_resources.extern import appdirs'
dist setuptools 54.0.0 py3-none-any pkg_resources
