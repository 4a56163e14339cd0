#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py ops/__init__.py </dev/null
py ops/framework.py <<'P'
class _Metaclass(type):
    def __new__(cls, *args, **kwargs):
        made = super().__new__(cls, *args, **kwargs)
        return made
class Object(metaclass=_Metaclass):
    def __init__(self, parent, key): pass
P
dist ops 1.5.5 py3-none-any ops
mkdir -p src lib/charms/data_platform_libs/v0
cat >lib/charms/data_platform_libs/v0/data_interfaces.py <<'P'
from abc import ABC, abstractmethod
from ops.framework import Object
class DataProvides(Object, ABC):
    def __init__(self, charm, relation_name):
        super().__init__(charm, relation_name)
P
echo 'from charms.data_platform_libs.v0.data_interfaces import DataProvides' >src/charm.py
