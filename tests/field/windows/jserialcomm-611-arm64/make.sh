#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/app/java.exe --exe --imports KERNEL32.dll:ExitProcess
stub $W/app/jSerialComm.dll --exports JNI_OnLoad
$PY - $W/app/jSerialComm.dll <<'P'
import sys
d = bytearray(open(sys.argv[1], 'rb').read()); at = int.from_bytes(d[60:64], 'little')
d[at + 4:at + 6] = b'\x64\xaa'; open(sys.argv[1], 'wb').write(d)
P
