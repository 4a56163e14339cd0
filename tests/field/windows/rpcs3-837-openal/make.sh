#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/game/game.exe --exe --imports OpenAL32.dll:alcOpenDevice KERNEL32.dll:ExitProcess
