#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py meshinfo/__init__.py <<'E'
from . import good, encoders
E
py meshinfo/good.py <<'E'
node = {"id": 1, "name": "n"}
a = f"{node['name']!r:>{10}} {{'not a field'}}"
b = f'''{node['id']} {"it's"}'''
c = (f'{node["id"]}' 'x' f"{':'.join(['a', 'b'])}")
E
py meshinfo/encoders.py <<'E'
def shown(node):
    return f"{node["id"]}: {node["name"]}"
E
dist meshinfo 1.4.0 py3-none-any meshinfo
