#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
d=$W/d; mkdir -p $d/torchx/lib; stub $d/torchx/lib/fbgemm.dll --exports f --imports \
  libomp140.x86_64.dll:omp_get_max_threads
printf "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'lib', 'fbgemm.dll'))\n" > \
  $d/torchx/__init__.py; wheel $d torchx cp311-cp311-win_amd64
