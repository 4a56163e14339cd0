#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py hidx/__init__.py <<'E'
import ctypes, sys
class Library(ctypes.CDLL):
    def __init__(self, name):
        super().__init__(name, mode=ctypes.RTLD_GLOBAL, use_errno=True)
def first(*names):
    errors = []
    for n in names:
        try:
            return Library(n)
        except OSError as e:
            errors.append("%s: %s" % (n, e))
    raise EnvironmentError("; ".join(errors))
hidapi = first('libhidxapi-hidraw.so.0', 'libhidxapi-libusb.so.0', 'hidxapi.dll')
hidapi.hid_init()
E
dist hidx 1.0 py3-none-any hidx
