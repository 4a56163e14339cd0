#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
stub libcudf.so
py pylibcudf/__init__.py <<'E'
try:
    import libcudf
except ModuleNotFoundError:
    pass
else:
    libcudf.load_library()
from . import aggregation
E
ext "$S/pylibcudf/aggregation.abi3.so" -Wl,--no-as-needed stubs/libcudf.so </dev/null
rm -r stubs
dist pylibcudf-cu12 25.4.0 cp39-abi3-manylinux_2_28_x86_64 pylibcudf -- \
  'Requires-Dist: typing_extensions>=4.0.0' 'Requires-Dist: libcudf-cu12==25.4.*' \
  'Requires-Dist: numpy; extra == "test"'
py typing_extensions.py </dev/null; dist typing_extensions 4.12.2 py3-none-any typing_extensions.py
py cudf/__init__.py <<<'import pylibcudf'
dist cudf-cu12 25.4.0 py3-none-manylinux_2_28_x86_64 cudf -- 'Requires-Dist: pylibcudf-cu12==25.4.*'
