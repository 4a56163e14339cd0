#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.9
py attr/__init__.py <<'E'
from functools import partial
from ._make import NOTHING, Attribute, Factory, attrib, attrs, make_class
__version__ = "19.1.0"
s = attributes = attrs
ib = attr = attrib
dataclass = partial(attrs, auto_attribs=True)
E
py attr/_make.py <<'E'
class Attribute: pass
class Factory:
    def __init__(self, factory, takes_self=False):
        self.factory = factory
NOTHING = object()
def attrib(default=NOTHING, validator=None, repr=True, cmp=True, hash=None, init=True):
    return default
def attrs(maybe_cls=None, these=None, repr_ns=None, repr=True, cmp=True, hash=None, init=True, slots=False,
          frozen=False, weakref_slot=True, str=False, auto_attribs=False, kw_only=False, cache_hash=False,
          auto_exc=False):
    def wrap(cls):
        return cls
    if maybe_cls is None:
        return wrap
    return wrap(maybe_cls)
def make_class(name, attrs, bases=(object,), **attributes_arguments):
    return type(name, bases, {})
E
dist attrs 19.1.0 py2.py3-none-any attr
py aiger/__init__.py <<'E'
from aiger.expr import atom, BoolExpr
E
py aiger/expr.py <<'E'
import attr
@attr.s(frozen=True, slots=True, eq=False, auto_attribs=True, hash=True)
class BoolExpr:
    aig: int
def atom(val): return BoolExpr()
E
dist py-aiger 3.4.0 py3-none-any aiger -- 'Requires-Dist: attrs'
