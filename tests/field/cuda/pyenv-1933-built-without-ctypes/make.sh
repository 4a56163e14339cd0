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
own opt/python; rm opt/python/lib/python3.11/lib-dynload/_ctypes*
py app/__init__.py <<<'from . import native'
py app/native.py <<'E'
import ctypes
lib = ctypes.CDLL(None)
E
dist app 1.0 py3-none-any app
