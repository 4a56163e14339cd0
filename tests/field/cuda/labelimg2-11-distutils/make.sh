#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.12
py ffmpegio/__init__.py <<'E'
import os
from distutils.version import LooseVersion
E
dist ffmpegio-core 0.6.0 py3-none-any ffmpegio -- 'Requires-Dist: numpy; extra == "np"'
