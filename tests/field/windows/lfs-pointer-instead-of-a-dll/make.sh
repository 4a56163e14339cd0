#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/amdx
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:deed64e8727e4dbd00772c4f5992bca5b974fc32e2e1c61c3635de24f8524bc6\nsize 187611\n' > $S/amdx/fastx.dll
printf 'import ctypes, os\nlib = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "fastx.dll"))\n' > $S/amdx/__init__.py
