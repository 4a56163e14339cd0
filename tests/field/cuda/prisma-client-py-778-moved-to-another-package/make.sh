#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pydantx/__init__.py <<'P'
from ._migration import getattr_migration
__getattr__ = getattr_migration(__name__)
P
py pydantx/errors.py <<'P'
class Mixin:
    def __init__(self, message, *, code):
        self.message = message
        self.code = code
    def __str__(self):
        return self.message if self.code is None else f'{self.message}\n\nsee {self.code}'
class PydantxImportError(Mixin, ImportError):
    def __init__(self, message):
        super().__init__(message, code='import-error')
P
py pydantx/_migration.py <<'P'
import sys
def getattr_migration(module):
    from .errors import PydantxImportError
    def wrapper(name):
        import_path = f'{module}:{name}'
        if import_path == 'pydantx:BaseSettings':
            raise PydantxImportError('`BaseSettings` has been moved to the `pydantx-settings` package.')
        names = sys.modules[module].__dict__
        if name in names:
            return names[name]
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    return wrapper
P
dist pydantx 2.0 py3-none-any pydantx
py prismx/__init__.py <<<'from pydantx import BaseSettings'
dist prismx 0.9.0 py3-none-any prismx -- 'Requires-Dist: pydantx>=1.8.0'
