#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py malex/__init__.py <<<'from .get_byteplot_image import get_byteplot_image'
python3 - "$S/malex/get_byteplot_image.pyc" <<'E'
import sys
with open(sys.argv[1], "wb") as file:  # the magic number of Python 3.8, 3413
    file.write(b"U\r\r\n" + bytes(12) + b"\xe3" + bytes(40))
E
dist malex 1.0 py3-none-any malex
