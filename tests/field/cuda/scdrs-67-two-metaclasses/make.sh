#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py seabx/__init__.py <<'E'
class ColormapMeta(type):
    def __call__(cls, *a): return super().__call__(*a)
class Base(metaclass=ColormapMeta): pass
E
dist seabx 0.9 py3-none-any seabx
py scdrsx/__init__.py <<'E'
from abc import ABC, abstractmethod
from seabx import Base
class Plot(Base, ABC):
    @abstractmethod
    def draw(self): ...
E
dist scdrsx 1.0 py3-none-any scdrsx -- 'Requires-Dist: seabx'
