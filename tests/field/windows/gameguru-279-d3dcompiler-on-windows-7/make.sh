#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
$PY - >host-7.json <<'P'
import json
print(json.dumps({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", "driver": None,
 "windows": {"build": "6.1.7601", "folder": "C:\\Windows", "known_dlls": ["kernel32.dll", "ntdll.dll"],
 "path": ["C:\\Windows\\System32"], "variables": {}, "folders": {"C:\\Windows\\System32": ["kernel32.dll", "ntdll.dll",
 "msvcrt.dll"]}}}))
P
stub app/GameGuru.exe --exe --imports D3DCOMPILER_47.dll:D3DCompile KERNEL32.dll:ExitProcess
