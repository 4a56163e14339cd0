#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py matplotlib/__init__.py <<<'__version__ = "3.9.0"'
py matplotlib/cm.py <<'E'
from collections.abc import Mapping
class Maps(Mapping):
    def __init__(self, maps): self._maps = maps
    def __getitem__(self, name): return self._maps[name]
    def __iter__(self): return iter(self._maps)
    def __len__(self): return len(self._maps)
_maps = Maps({name: name.upper() for name in ("viridis", "magma")})
globals().update(_maps)
E
dist matplotlib 3.9.0 cp311-cp311-manylinux_2_17_x86_64 matplotlib
py seaborn/__init__.py <<<'from . import cm'
py seaborn/cm.py <<'E'
from matplotlib import cm as mpl_cm
for _name, _colors in {"rocket": [0.1], "mako": [0.2]}.items():
    locals()[_name] = _colors
    mpl_cm.register_cmap(_name, _colors)
E
dist seaborn 0.11.2 py3-none-any seaborn -- 'Requires-Dist: matplotlib>=2.2'
