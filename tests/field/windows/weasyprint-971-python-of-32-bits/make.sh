#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
prefix C/Python39 9 --machine i686; S=C/Python39/Lib/site-packages/weasyprintx; mkdir -p $S
stub "C/Program Files/GTK3-Runtime Win64/bin/libgobject-2.0-0.dll" --exports g_object_unref
cat >$S/__init__.py <<'P'
import ctypes, os
os.add_dll_directory('C:\\Program Files\\GTK3-Runtime Win64\\bin')
def dlopen(*names):
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    return ctypes.CDLL(names[0])
gobject = dlopen('gobject-2.0-0', 'libgobject-2.0-0', 'libgobject-2.0-0.dll')
P
