#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py markupsafe/__init__.py <<'E'
def _wrapped(name):
    original = getattr(str, name)
    return lambda self, *args: self.__class__(original(self, *args))
class Markup(str):
    for method in ("lower", "upper", "strip"):
        locals()[method] = _wrapped(method)
    del method
try:
    from ._speedups import escape
except ImportError:
    from ._native import escape
E
py markupsafe/_native.py <<'E'
def escape(text):
    return text
E
ext "$S/markupsafe/_speedups.abi3.so" <<<'const char escape_name[] = "escape";'
py markupsafe/_speedups.pyi <<<'def escape(text): ...'
dist MarkupSafe 2.1.1 cp311-cp311-manylinux_2_17_x86_64 markupsafe
py jinja2/__init__.py <<<'from . import filters'
py jinja2/filters.py <<<'from markupsafe import soft_unicode'
dist Jinja2 2.11.3 py2.py3-none-any jinja2 -- 'Requires-Dist: MarkupSafe>=0.23'
