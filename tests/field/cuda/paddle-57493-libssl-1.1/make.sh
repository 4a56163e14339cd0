#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py paddle/__init__.py <<<'from .fluid import core'
py paddle/fluid/__init__.py </dev/null
py paddle/fluid/core.py <<'E'
import os
import sys
has_paddle_dy_lib = False
dy_lib_name = 'libpaddle'
dy_lib_suffix = 'so'
if os.name == 'nt':
    dy_lib_suffix = 'pyd'
current_path = os.path.abspath(os.path.dirname(__file__))
if os.path.exists(current_path + os.sep + dy_lib_name + '.' + dy_lib_suffix):
    has_paddle_dy_lib = True
try:
    from . import libpaddle
except Exception as e:
    if has_paddle_dy_lib:
        sys.stderr.write('Error: Can not import paddle core while this file exists: '
                         + current_path + os.sep + 'libpaddle.' + dy_lib_suffix + '\n')
    raise e
E
lib libssl.so.1.1 <<<'int SSL_new(void) { return 0; }'
ext "$S/paddle/fluid/libpaddle.so" -Wl,--no-as-needed libssl.so.1.1 </dev/null; rm libssl.so.1.1
dist paddlepaddle-gpu 2.5.1 cp311-cp311-linux_x86_64 paddle
