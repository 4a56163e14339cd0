#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/amdx
printf '%s\n' 'version https://git-lfs.github.com/spec/v1' 'oid sha256:deed64e8727e4dbd00772c4f5992bca5' \
  'size 187611' > $S/amdx/fastx.dll
printf '%s\n' 'import ctypes, os' \
  'lib = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "fastx.dll"))' > \
  $S/amdx/__init__.py
