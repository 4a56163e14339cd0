#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py google/protobuf/__init__.py <<<"__version__ = '4.25.3'"
py google/protobuf/descriptor.py <<<'class Descriptor: pass'
py google/protobuf/descriptor_pool.py <<<'def Default(): pass'
dist protobuf 4.25.3 cp37-abi3-manylinux2014_x86_64 google
py feast/__init__.py <<<'from feast.type_map import x'
py feast/type_map.py <<<'from feast.protos.feast.types.Value_pb2 import x'
py feast/protos/feast/types/Value_pb2.py <<'E'
from google.protobuf import descriptor as _descriptor
from google.protobuf import descriptor_pool as _descriptor_pool
from google.protobuf import runtime_version as _runtime_version
x = 1
E
dist feast 0.40.0 py2.py3-none-any feast -- 'Requires-Dist: protobuf>=4.24.0'
