#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
$PY - > host.json <<'P'
import json
print(json.dumps({"schema": "cudald/host", "schema_version": "1.0", "platform": "windows-x86_64", "driver": None,
 "windows": {"build": "6.3.9600", "folder": "C:\\Windows", "known_dlls": ["kernel32.dll", "ntdll.dll"],
 "path": ["C:\\Windows\\System32"], "variables": {}, "folders": {"C:\\Windows\\System32": ["kernel32.dll", "ntdll.dll",
 "d3d11.dll", "dxgi.dll"]}}}))
P
stub app/dotnet.exe --exe --imports KERNEL32.dll:ExitProcess
stub app/libSkiaSharp.dll --exports sk_path_new --imports d3d12.dll:D3D12CreateDevice dxgi.dll:CreateDXGIFactory1
