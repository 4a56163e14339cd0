#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.10
py todoist_api_python/__init__.py </dev/null
py todoist_api_python/authentication.py <<'E'
from __future__ import annotations

from typing import Any, Literal
try:
    from typing import NotRequired
except ImportError:
    NotRequired = Any
E
py todoist_api_python/api.py <<'E'
from typing import Annotated, Generic, Self, TypeVar
from todoist_api_python.authentication import NotRequired

T = TypeVar("T")
class ResultsPaginator(Generic[T]):
    def __iter__(self) -> Self:
        return self
E
dist todoist-api-python 3.1.0 py3-none-any todoist_api_python -- 'Requires-Python: >=3.9'
