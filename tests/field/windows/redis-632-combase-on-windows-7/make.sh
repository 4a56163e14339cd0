#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
$PY - > host-7.json <<'P'
import json
print(json.dumps({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", "driver": None,
 "windows": {"build": "6.1.7601", "folder": "C:\\Windows", "known_dlls": ["kernel32.dll", "ntdll.dll"],
 "path": ["C:\\Windows\\System32"], "variables": {}, "folders": {"C:\\Windows\\System32": ["kernel32.dll", "ntdll.dll",
 "bcryptprimitives.dll", "msvcrt.dll", "bcrypt.dll", "ole32.dll"]}}}))
P
stub app/dotnet.exe --exe --imports KERNEL32.dll:ExitProcess
