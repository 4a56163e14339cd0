#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
lib "$S/xgboost.libs/libgomp-a34b3233.so.1.0.0" <<<'int omp_get_max_threads(void) { return 1; }'
lib "$S/xgboost/lib/libxgboost.so" -Wl,--no-as-needed "$S/xgboost.libs/libgomp-a34b3233.so.1.0.0" \
  -Wl,-rpath,'$ORIGIN/../../xgboost.libs' <<<'void XGBGetLastError(void) {}'
py xgboost/__init__.py <<<'from .core import DMatrix, Booster'
py xgboost/libpath.py <<'E'
import os
import sys
class XGBoostLibraryNotFound(Exception):
    """Error thrown by when xgboost is not found"""
def find_lib_path():
    curr_path = os.path.dirname(os.path.abspath(os.path.expanduser(__file__)))
    dll_path = [os.path.join(curr_path, 'lib'),
                os.path.join(curr_path, '../../lib/'),
                os.path.join(curr_path, './lib/'),
                os.path.join(sys.prefix, 'xgboost')]
    if sys.platform.startswith('linux') or sys.platform.startswith('freebsd'):
        dll_path = [os.path.join(p, 'libxgboost.so') for p in dll_path]
    elif sys.platform == 'darwin':
        dll_path = [os.path.join(p, 'libxgboost.dylib') for p in dll_path]
    lib_path = [p for p in dll_path if os.path.exists(p) and os.path.isfile(p)]
    if not lib_path and not os.environ.get('XGBOOST_BUILD_DOC', False):
        raise XGBoostLibraryNotFound('Cannot find XGBoost Library in the candidate path')
    return lib_path
E
py xgboost/core.py <<'E'
import ctypes
import os
import sys
from .libpath import find_lib_path
class XGBoostError(ValueError):
    """Error thrown by xgboost trainer."""
class DMatrix: pass
class Booster: pass
def _load_lib():
    lib_paths = find_lib_path()
    if not lib_paths:
        return None
    try:
        pathBackup = os.environ['PATH'].split(os.pathsep)
    except KeyError:
        pathBackup = []
    lib_success = False
    os_error_list = []
    for lib_path in lib_paths:
        try:
            os.environ['PATH'] = os.pathsep.join(pathBackup + [os.path.dirname(lib_path)])
            lib = ctypes.cdll.LoadLibrary(lib_path)
            lib_success = True
        except OSError as e:
            os_error_list.append(str(e))
            continue
        finally:
            os.environ['PATH'] = os.pathsep.join(pathBackup)
    if not lib_success:
        libname = os.path.basename(lib_paths[0])
        raise XGBoostError(
            'XGBoost Library ({}) could not be loaded.\n'.format(libname) +
            'Likely causes:\n' +
            '  * OpenMP runtime is not installed ' +
            '(vcomp140.dll or libgomp-1.dll for Windows, ' +
            'libgomp.so for UNIX-like OSes)\n' +
            '  * You are running 32-bit Python on a 64-bit OS\n' +
            'Error message(s): {}\n'.format(os_error_list))
    lib.XGBGetLastError.restype = ctypes.c_char_p
    return lib
_LIB = _load_lib()
E
dist xgboost 1.7.6 py3-none-manylinux2014_x86_64 xgboost xgboost.libs
rm -r "$S/xgboost.libs"
