#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32; for d in kernel32 ntdll kernelbase; do
  stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done

prefix C/e 9 --conda; S=C/e/Lib/site-packages; stub C/e/Library/bin/hdf5.dll --exports H5open,H5new; mkdir -p $S/app
stub $S/rasterio/hdf5.dll --exports H5open; echo 'from . import _base' >$S/rasterio/__init__.py
stub $S/rasterio/_base.pyd --exports PyInit__base --imports hdf5.dll:H5open python39.dll:Py_Main
stub $S/h5py/defs.pyd --exports PyInit_defs --imports hdf5.dll:H5open,H5new python39.dll:Py_Main
echo 'from . import defs' >$S/h5py/__init__.py; printf 'import rasterio\nimport h5py\n' >$S/app/__init__.py
