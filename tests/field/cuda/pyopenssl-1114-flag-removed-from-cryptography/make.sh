#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py cryptography/__init__.py <<<'__version__ = "37.0.0"'
py cryptography/hazmat/__init__.py </dev/null
py cryptography/hazmat/bindings/__init__.py </dev/null
py cryptography/hazmat/bindings/openssl/__init__.py </dev/null
ext "$S/cryptography/hazmat/bindings/_openssl.abi3.so" </dev/null
py cryptography/hazmat/bindings/openssl/binding.py <<'E'
import types
from cryptography.hazmat.bindings import _openssl as lib
def build_conditional_library(lib, conditional_names):
    conditional_lib = types.ModuleType("lib")
    conditional_lib._original_lib = lib
    excluded_names = set()
    for attr in dir(lib):
        if attr not in excluded_names:
            setattr(conditional_lib, attr, getattr(lib, attr))
    return conditional_lib
class Binding:
    lib = None
    def __init__(self):
        self._ensure_ffi_initialized()
    @classmethod
    def _ensure_ffi_initialized(cls):
        if cls.lib is None:
            cls.lib = build_conditional_library(lib, {})
Binding._ensure_ffi_initialized()
E
dist cryptography 37.0.0 cp36-abi3-manylinux_2_24_x86_64 cryptography
py OpenSSL/__init__.py <<<'from OpenSSL import crypto'
py OpenSSL/_util.py <<'E'
from cryptography.hazmat.bindings.openssl.binding import Binding
binding = Binding()
lib = binding.lib
E
py OpenSSL/crypto.py <<'E'
from OpenSSL._util import lib as _lib
class X509StoreFlags(object):
    CB_ISSUER_CHECK = _lib.X509_V_FLAG_CB_ISSUER_CHECK
E
dist pyOpenSSL 20.0.1 py2.py3-none-any OpenSSL -- 'Requires-Dist: cryptography (>=3.2)' 'Requires-Dist: six (>=1.5.2)'
py six.py <<<'__version__ = "1.16.0"'; dist six 1.16.0 py2.py3-none-any six.py
