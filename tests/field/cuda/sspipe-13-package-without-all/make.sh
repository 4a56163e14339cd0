#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py pipe.py <<'P'
class Pipe:
    def __init__(self, function):
        self.function = function
@Pipe
def select(iterable, selector):
    return map(selector, iterable)
P
dist pipe 2.0 py3-none-any pipe.py
py sspipe/__init__.py <<<'from .facade import p'
py sspipe/facade.py <<'P'
import pipe
class Facade: pass
for helper in pipe.__all__:
    if helper != "Pipe":
        setattr(Facade, helper, getattr(pipe, helper))
p = Facade()
P
dist sspipe 0.1.16 py3-none-any sspipe -- 'Requires-Dist: pipe'
