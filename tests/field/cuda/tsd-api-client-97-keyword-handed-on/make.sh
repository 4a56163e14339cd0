#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py click/__init__.py <<'E'
from .core import Option as Option
from .decorators import option as option
__version__ = "8.1.3"
E
py click/core.py <<'E'
class Parameter:
    def __init__(self, param_decls=None, type=None, required=False, default=None, callback=None, nargs=None,
                 multiple=False, metavar=None, expose_value=True, is_eager=False, envvar=None, shell_complete=None):
        self.name = param_decls
class Option(Parameter):
    def __init__(self, param_decls=None, show_default=None, prompt=False, multiple=False, help=None, **attrs):
        super().__init__(param_decls, multiple=multiple, **attrs)
        self.help = help
E
py click/decorators.py <<'E'
from .core import Option
def option(*param_decls, cls=None, **attrs):
    if cls is None:
        cls = Option
    def decorator(f):
        f.params = getattr(f, "params", []) + [cls(param_decls, **attrs)]
        return f
    return decorator
E
dist click 8.1.3 py3-none-any click
py tsdapiclient/__init__.py </dev/null
py tsdapiclient/tacl.py <<'E'
import click
def names(ctx, args, incomplete): return []
@click.option('--env', default='prod', help='which environment', autocompletion=names)
@click.option('--group', required=False, help='group')
def cli(env, group): pass
E
dist tsd-api-client 3.4.0 py3-none-any tsdapiclient -- 'Requires-Dist: click (>=7.0)'
