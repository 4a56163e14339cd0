#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py google/protobuf/__init__.py <<<"__version__ = '5.29.0rc3'"
py google/protobuf/runtime_version.py <<'E'
OWN = (5, 29, 0, "-rc3")
class VersionError(Exception):
    pass
def ValidateProtobufRuntimeVersion(domain, major, minor, patch, suffix, location):
    if suffix != OWN[3]:
        raise VersionError(
            "Detected mismatched Protobuf Gencode/Runtime version suffixes when loading "
            f"{location}: gencode {major}.{minor}.{patch}{suffix} runtime {OWN[0]}.{OWN[1]}.{OWN[2]}{OWN[3]}. "
            "Version suffixes must be the same.")
E
dist protobuf 5.29.0rc3 py3-none-any google
py substrait_validator/__init__.py <<<'from substrait_validator import plan_pb2'
py substrait_validator/plan_pb2.py <<'E'
from google.protobuf import runtime_version
runtime_version.ValidateProtobufRuntimeVersion(1, 5, 28, 3, "", "substrait/plan.proto")
E
dist substrait-validator 0.1.4 py3-none-any substrait_validator -- 'Requires-Dist: protobuf>=4'
