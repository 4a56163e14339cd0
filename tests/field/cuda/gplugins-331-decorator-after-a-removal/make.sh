#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py jax/__init__.py <<<'from jax._src.api import jit'
py jax/_src/__init__.py </dev/null
py jax/_src/api.py <<'E'
import functools, inspect
def jit(fun, **options):
    @functools.wraps(fun)
    def compiled(*args, **kwargs):
        return fun(*args, **kwargs)
    return inspect.unwrap(compiled)
E
py jax/core.py <<'E'
class Primitive:
    def __init__(self, name):
        self.name = name
    def def_impl(self, impl):
        self.impl = impl
        return impl
    def bind(self, *args):
        return self.impl(*args)
    def impl(self, *args):
        raise NotImplementedError(self.name)
E
py jax/interpreters/__init__.py </dev/null
py jax/interpreters/xla.py <<<'translations = {}'
dist jax 0.4.24 py3-none-any jax
py klujax.py <<'E'
from functools import partial
import jax
from jax import core
from jax.interpreters import xla
solve_f64 = core.Primitive("solve_f64")

def xla_register_cpu(primitive):
    name = primitive.name.encode()
    def decorator(fun):
        xla.backend_specific_translations["cpu"][primitive] = partial(fun, name)
        return fun
    return decorator

@jax.jit
def solve(a, b):
    return solve_f64.bind(a, b)

@solve_f64.def_impl
def solve_impl(a, b):
    return b

@xla_register_cpu(solve_f64)
def solve_xla(name, a, b):
    return b
E
dist klujax 0.2.4 cp311-cp311-manylinux_2_17_x86_64 klujax.py -- 'Requires-Dist: jax'
