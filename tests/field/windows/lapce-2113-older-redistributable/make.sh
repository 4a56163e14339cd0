#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
stub $W/app/lapce.exe --exe --imports VCRUNTIME140.dll:memcpy VCRUNTIME140_1.dll:__CxxFrameHandler4 \
  KERNEL32.dll:ExitProcess
$PY - > $W/host.json <<'P'
import json
system = "C:\\Windows\\System32"
known = ["kernel32.dll", "ntdll.dll", "kernelbase.dll"]
windows = {"build": "10.0.19045", "folder": "C:\\Windows", "known_dlls": known, "path": [system], "variables": {},
           "folders": {system: known + ["ucrtbase.dll", "vcruntime140.dll", "msvcp140.dll"]}}
print(json.dumps({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", "driver": None,
                  "windows": windows}))
P
