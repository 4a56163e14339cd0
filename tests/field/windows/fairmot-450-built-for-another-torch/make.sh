#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; V=C/Users/wa/fairmot/venv; S=$V/Lib/site-packages; D=C/Users/wa/fairmot/DCNv2
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
prefix $V 8; mkdir -p $S/torch/lib $S/torch-1.9.0.dist-info $D
stub $S/torch/lib/torch_cpu.dll --exports at_ok,at_new
cat >$S/torch/__init__.py <<'P'
import os, ctypes
d = os.path.join(os.path.dirname(__file__), "lib")
os.add_dll_directory(d)
ctypes.CDLL(os.path.join(d, "torch_cpu.dll"))
P
printf 'Metadata-Version: 2.1\nName: torch\nVersion: 1.9.0\n' >$S/torch-1.9.0.dist-info/METADATA
printf 'torch/__init__.py,,\ntorch/lib/torch_cpu.dll,,\n' >$S/torch-1.9.0.dist-info/RECORD
stub $D/_ext.cp38-win_amd64.pyd --exports PyInit__ext --imports python38.dll:Py_Main torch_cpu.dll:at_ok,at_old
printf 'import torch\nimport _ext as _backend\n' >$D/dcn_v2.py; echo 'from setuptools import setup' >$D/setup.py
printf 'C:\\Users\\wa\\fairmot\\DCNv2\n' >$S/easy-install.pth
