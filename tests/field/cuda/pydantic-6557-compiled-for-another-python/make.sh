#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pydantic/__init__.py <<<'from pydantic_core import PydanticUndefined'
py pydantic_core/__init__.py <<'E'
from __future__ import annotations
import sys as _sys
from typing import Any as _Any
from ._pydantic_core import ArgsKwargs, PydanticUndefined
E
ext "$S/pydantic_core/_pydantic_core.cpython-39-x86_64-linux-gnu.so" </dev/null
dist pydantic_core 2.20.1 cp39-cp39-manylinux_2_17_x86_64.manylinux2014_x86_64 pydantic_core
dist pydantic 2.8.2 py3-none-any pydantic -- 'Requires-Dist: pydantic-core==2.20.1'
