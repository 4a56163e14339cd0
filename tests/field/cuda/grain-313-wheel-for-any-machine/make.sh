#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py grain/__init__.py <<<'from grain import fast'
ext "$S/grain/fast.so" </dev/null
dist grain-nightly 0.0.6 py3-none-any grain
(cd "$S"; python3 -m zipfile -c "$OLDPWD/grain_nightly-0.0.6-py3-none-any.whl" grain grain_nightly-0.0.6.dist-info)
