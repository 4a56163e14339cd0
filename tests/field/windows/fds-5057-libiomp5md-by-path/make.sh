#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
mkdir -p $W/old $W/new $W/bin; stub $W/old/libiomp5md.dll --exports omp_a,omp_b
for i in $(seq 1 760); do echo f$i; done > $W/names; stub $W/new/libiomp5md.dll --exports $W/names; rm $W/names
stub $W/bin/fds.exe --exe --imports 'libiomp5md.dll:#747'
