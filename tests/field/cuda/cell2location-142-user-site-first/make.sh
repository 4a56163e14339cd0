#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
# own DIR: a Python 3.11 of its own in DIR, whose sources are links; $S is its site-packages
own() {
  local base; base=$(ls -d ~/.pyenv/versions/3.11.* | tail -1); mkdir -p "$1/bin" "$1/lib/python3.11/lib-dynload"
  cp "$base/bin/python3.11" "$1/bin/python3.11"; ln -s python3.11 "$1/bin/python3"
  for each in "$base"/lib/libpython3*; do [ ! -e "$each" ] || ln -s "$each" "$1/lib/"; done
  for each in "$base"/lib/python3.11/*; do
    case $each in */site-packages | */lib-dynload | */test) ;; *) ln -s "$each" "$1/lib/python3.11/" ;; esac
  done
  for each in "$base"/lib/python3.11/lib-dynload/*; do ln -s "$each" "$1/lib/python3.11/lib-dynload/"; done
  S="$PWD/$1/lib/python3.11/site-packages"; mkdir -p "$S"
}
own envs/cell; mkdir -p envs/cell/conda-meta; echo >envs/cell/conda-meta/history
py jaxx/__init__.py <<'E'
from jaxlibx import xla_extension
Device = xla_extension.CpuDevice
E
dist jaxx 0.2.28 py3-none-any jaxx -- 'Requires-Dist: jaxlibx (>=0.1.75)'
py jaxlibx/__init__.py <<<'from .version import __version__'
py jaxlibx/version.py <<<'__version__ = "0.1.75"'
py jaxlibx/xla_extension.py <<<'class CpuDevice: pass'
dist jaxlibx 0.1.75 cp311-none-manylinux2010_x86_64 jaxlibx
S=$PWD/home/.local/lib/python3.11/site-packages; mkdir -p "$S"
py jaxlibx/__init__.py <<<'from .version import __version__'
py jaxlibx/version.py <<<'__version__ = "0.1.59"'
py jaxlibx/xla_extension.py <<<'class Device: pass'
dist jaxlibx 0.1.59 cp311-none-manylinux2010_x86_64 jaxlibx
