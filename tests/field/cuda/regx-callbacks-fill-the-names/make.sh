#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py regx/__init__.py <<'E'
import ast, json, threading, re, functools, atexit, contextvars
TABLE = {}
def add(name, value=None):
    TABLE[name] = value or name
    return name
list(map(add, ["alpha", "beta"]))
class Visitor(ast.NodeVisitor):
    def visit_Name(self, node):
        add("n_" + node.id)
Visitor().visit(ast.parse("gamma + delta"))
json.loads('{"epsilon": 1}', object_hook=lambda d: [add(k) for k in d])
t = threading.Thread(target=add, args=("zeta",)); t.start(); t.join()
re.sub("[a-z]+", lambda m: add(m.group(0)) or "", "eta theta")
sorted([3, 1], key=lambda v: add("k%d" % v) and v)
functools.reduce(lambda a, b: add(b) and b, ["iota", "kappa"])
contextvars.copy_context().run(add, "lambda_")
for want in ("alpha", "n_gamma", "epsilon", "zeta", "eta", "k3", "kappa", "lambda_"):
    if want not in TABLE:
        raise ImportError("not registered: " + want)
globals().update(TABLE)
E
py usex/__init__.py <<'E'
from regx import alpha, n_gamma, epsilon, zeta, theta, k1, kappa, lambda_
E
dist regx 1.0 py3-none-any regx
dist usex 1.0 py3-none-any usex -- 'Requires-Dist: regx'
