#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 12; S=$W/py/Lib/site-packages; mkdir -p $S/fionax
stub $S/fionax/_env.cp312-win_amd64.pyd --exports PyInit__env --imports gdal-3b1c.dll:GDALOpen python312.dll:Py_Main
cat >$S/fionax/__init__.py <<'E'
# start delvewheel patch
def _delvewheel_patch_1_5_2():
    import os
    if os.path.isdir(libs_dir := os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, 'fionax.libs'))):
        os.add_dll_directory(libs_dir)
_delvewheel_patch_1_5_2()
del _delvewheel_patch_1_5_2
# end delvewheel patch
from fionax import _env
E
I=$S/fionax-1.9.5.dist-info; mkdir -p $I; printf 'Metadata-Version: 2.1\nName: fionax\nVersion: 1.9.5\n' >$I/METADATA
printf '%s,,\n' fionax/__init__.py fionax/_env.cp312-win_amd64.pyd fionax.libs/gdal-3b1c.dll >$I/RECORD
