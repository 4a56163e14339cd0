#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess,LoadLibraryA; done
prefix C/venv 12; S=C/venv/Lib/site-packages; mkdir -p $S/ctranslate2x
stub $S/nvidia/cudnn/bin/cudnn_ops64_9.dll --exports cudnnCreateTensorDescriptor; stub $S/ctranslate2x/cudnn64_9.dll \
  --exports cudnnCreate --const cudnn_ops64_9.dll --imports KERNEL32.dll:LoadLibraryA
stub $S/ctranslate2x/_ext.pyd --exports PyInit__ext --imports cudnn64_9.dll:cudnnCreate python312.dll:Py_Main
echo 'from . import _ext' >$S/ctranslate2x/__init__.py
