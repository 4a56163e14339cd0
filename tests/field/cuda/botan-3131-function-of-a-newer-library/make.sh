#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py botan2.py <<'E'
import os
from ctypes import CDLL, POINTER, c_char_p, c_int, c_size_t, c_uint32, c_void_p
class BotanException(Exception):
    pass
def _load_botan_dll(expected_version):
    for name in ['libbotan-2.so.19', 'libbotan-2.so']:
        try:
            return CDLL(os.path.join(os.path.dirname(__file__), name))
        except OSError:
            pass
    raise BotanException("Could not find a usable Botan shared object library")
def _errcheck_for(fn_name):
    def errcheck(rc, _func, _args):
        return rc
    return errcheck
def _set_prototypes(dll):
    dll.botan_version_string.argtypes = []
    dll.botan_version_string.restype = c_char_p
    dll.botan_error_last_exception_message.argtypes = []
    dll.botan_error_last_exception_message.restype = c_char_p
    def ffi_api(fn, args, allowed_errors=None):
        fn.argtypes = args
        fn.restype = c_int
        fn.errcheck = _errcheck_for(fn.__name__)
    ffi_api(dll.botan_hex_encode, [c_char_p, c_size_t, c_char_p, c_uint32])
    return dll
_DLL = _set_prototypes(_load_botan_dll(20210220))
E
lib "$S/libbotan-2.so.19" <<'E'
const char *botan_version_string(void) { return ""; } int botan_hex_encode(void) { return 0; }
E
