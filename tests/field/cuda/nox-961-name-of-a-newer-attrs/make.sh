#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py attr/__init__.py <<<'from . import validators'
py attr/validators.py <<<'def optional(v): return v'
py attrs/__init__.py <<<'from attr import validators'
py attrs/validators.py <<<'from attr.validators import *'
dist attrs 23.1.0 py3-none-any attr attrs
py nox/__init__.py <<<'from ._option_set import Option'
py nox/_option_set.py <<'P'
import attrs.validators as av
Option = av.optional(av.or_(str, bytes))
P
dist nox 2025.5.1 py3-none-any nox -- 'Requires-Dist: attrs>=23.1'
