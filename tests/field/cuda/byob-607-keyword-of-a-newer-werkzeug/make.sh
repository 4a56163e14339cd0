#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py werkzeug/__init__.py <<<'__version__ = "2.0.3"'
py werkzeug/local.py <<'E'
import typing as t
class LocalProxy:
    __slots__ = ("__wrapped", "__dict__")
    def __init__(self, local: t.Any, name: t.Optional[str] = None) -> None:
        object.__setattr__(self, "_LocalProxy__wrapped", local)
E
dist Werkzeug 2.0.3 py3-none-any werkzeug
py flask/__init__.py <<<'from .globals import current_app'
py flask/globals.py <<'E'
import typing as t
from contextvars import ContextVar
from werkzeug.local import LocalProxy
_cv_app = ContextVar("flask.app_ctx")
app_ctx = LocalProxy(_cv_app, unbound_message="x")
current_app = LocalProxy(_cv_app, "app", unbound_message="x")
E
dist Flask 2.2.2 py3-none-any flask -- 'Requires-Dist: Werkzeug (>=2.2.0)'
