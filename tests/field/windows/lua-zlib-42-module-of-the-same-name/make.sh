#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/lua/lua.exe --exe --imports KERNEL32.dll:ExitProcess
stub $W/lua/zlib.dll --exports crc32_combine,inflate
stub $W/lua/clibs/zlib.dll --exports luaopen_zlib --imports zlib.dll:crc32_combine,inflate
