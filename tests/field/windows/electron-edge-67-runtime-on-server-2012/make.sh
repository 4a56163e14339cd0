#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
$PY - > host-2012.json <<'P'
import json
print(json.dumps({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", "driver": None,
 "windows": {"build": "6.2.9200", "folder": "C:\\Windows", "known_dlls": ["kernel32.dll", "ntdll.dll"],
 "path": ["C:\\Windows\\System32"], "variables": {}, "folders": {"C:\\Windows\\System32": ["kernel32.dll", "ntdll.dll",
 "msvcrt.dll", "mscoree.dll"]}}}))
P
stub app/edge_nativeclr.node --exports register --imports KERNEL32.dll:Sleep mscoree.dll:CLRCreateInstance \
  MSVCP140.dll:_Mtx_lock VCRUNTIME140.dll:memcpy
