#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; mkdir -p $W/py/Lib/site-packages/app; echo 'import json' \
  >$W/py/Lib/site-packages/app/__init__.py; mkdir -p $W/Python310/Scripts
