#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix $W/py 11; S=$W/py/Lib/site-packages; mkdir -p $S/lxmlx $S/lxmlx-4.9.dist-info
stub $S/lxmlx/etree.cp310-win_amd64.pyd --exports PyInit_etree --imports python310.dll:Py_Main
echo 'from lxmlx import etree' >$S/lxmlx/__init__.py
printf 'Metadata-Version: 2.1\nName: lxmlx\nVersion: 4.9\n' >$S/lxmlx-4.9.dist-info/METADATA
printf '%s,,\n' lxmlx/__init__.py lxmlx/etree.cp310-win_amd64.pyd >$S/lxmlx-4.9.dist-info/RECORD
