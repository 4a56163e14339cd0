# Sourced by make.sh: environments in the directory $1 that look as an installer leaves them.
set -e; TOOLS=$(realpath "${BASH_SOURCE[0]}"); TOOLS=${TOOLS%/*}; mkdir -p "$1"; cd "$1"

# venv [VERSION]: v, an environment without pip, of that Python; $S is its site-packages
venv() {
  local python
  python=$(ls -d ~/.pyenv/versions/${1:-none}.*/bin/python3 2>/dev/null | tail -1)
  python=${python:-$(command -v python${1:-3})}
  "$python" -m venv --without-pip v
  S=$(echo "$PWD"/v/lib/python3*/site-packages)
}
# py FILE: stdin as a source below site-packages
py() { mkdir -p "$(dirname "$S/$1")"; cat >"$S/$1"; }
# dist NAME VERSION TAG PATH... [-- METADATA LINE...]: its dist-info with a RECORD of these files and directories
dist() {
  local name=$1 version=$2 tag=$3 info; shift 3
  info="$S/${name//-/_}-$version.dist-info"; mkdir -p "$info"
  local paths=(); while [ $# -gt 0 ] && [ "$1" != -- ]; do paths+=("$1"); shift; done; [ $# -eq 0 ] || shift
  printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$name" "$version" >"$info/METADATA"
  [ $# -eq 0 ] || printf '%s\n' "$@" >>"$info/METADATA"
  printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: %s\n' "$tag" >"$info/WHEEL"; echo pip >"$info/INSTALLER"
  (cd "$S"; python3 -I -S "$TOOLS/record.py" "$(basename "$info")" "${paths[@]}")
}
# lib FILE [OPTION...]: C on stdin
lib() { mkdir -p "$(dirname "$1")"; gcc -shared -fPIC -o "$1" -Wl,-soname,"$(basename "$1")" -xc - -x none "${@:2}"; }
# nvlib PART FILE: a library of NVIDIA's package for a part, below site-packages
nvlib() {
  lib "$S/nvidia/$1/lib/$2" <<<'int nv(void) { return 0; }'
  touch "$S/nvidia/__init__.py" "$S/nvidia/$1/__init__.py"
}
# stub FILE: to link with what is not there in the end; rm -r stubs
stub() { lib "stubs/$1" <<<'int stub_f(void) { return 0; }'; }
# ext FILE [OPTION...]: an extension module that has no names; C on stdin is compiled with it
ext() {
  local name; name=$(basename "$1"); name=${name%%.*}; mkdir -p "$(dirname "$1")"
  { cat; printf '%s\n' "static struct { long refs; void *type, *init; long index; void *copy;" \
    "const char *name, *doc; long size;" \
    "void *methods, *slots, *traverse, *clear, *release; } definition = {1, 0, 0, 0, 0, \"$name\", 0, -1};" \
    "void *PyModule_Create2(void *, int); void *PyInit_$name(void) { return PyModule_Create2(&definition, 1013); }"; } |
    gcc -shared -fPIC -o "$1" -xc - -x none "${@:2}"
}
# small_torch VERSION: what an import of that torch runs through, with the libraries that others link
small_torch() {
py torch/version.py <<<"__version__ = '$1'"
py torch/torch_version.py <<'E'
from .version import __version__ as internal_version
class TorchVersion(str):
    pass
__version__ = TorchVersion(internal_version)
E
py torch/_ops.py <<'E'
import contextlib, ctypes, importlib.machinery, os, sys, types
_SET_GLOBAL_FLAGS = hasattr(sys, "getdlopenflags") and hasattr(sys, "setdlopenflags")
@contextlib.contextmanager
def dl_open_guard():
    if not _SET_GLOBAL_FLAGS:
        yield
        return
    old_flags = sys.getdlopenflags()
    sys.setdlopenflags(old_flags | ctypes.RTLD_GLOBAL)
    try:
        yield
    finally:
        sys.setdlopenflags(old_flags)
class _Ops(types.ModuleType):
    __file__ = "_ops.py"
    def __init__(self):
        super().__init__("torch.ops")
        self.loaded_libraries = set()
    def load_library(self, path):
        path = os.path.realpath(path)
        with dl_open_guard():
            ctypes.CDLL(path)
        self.loaded_libraries.add(path)
ops = _Ops()
E
py torch/_classes.py <<'E'
import types
from ._ops import ops
class _Classes(types.ModuleType):
    def load_library(self, path):
        ops.load_library(path)
classes = _Classes("torch.classes")
E
py torch/__init__.py <<'E'
from .torch_version import __version__ as __version__
from torch._C import *
from ._ops import ops
from ._classes import classes
E
lib "$S/torch/lib/libc10.so" <<'E'
int _ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void) { return 0; }
E
lib "$S/torch/lib/libc10_cuda.so" <<<'int _ZN3c104cuda9SetDeviceEab(void) { return 0; }'
lib "$S/torch/lib/libtorch.so" <<'E'
int _ZN5torch3jit17parseSchemaOrNameERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void) { return 0; }
E
ext "$S/torch/_C.abi3.so" -Wl,--no-as-needed "$S"/torch/lib/lib*.so -Wl,-rpath,'$ORIGIN/lib' </dev/null
dist torch "$1" cp39-cp39-linux_x86_64 torch
}
# jaxenv JAX JAXLIB PLUGIN: jax, jaxlib and its plug-in for CUDA 12, of these releases
jaxenv() {
py jax/__init__.py <<<'from jax.version import __version__
from jax._src import xla_bridge'
py jax/version.py <<<"__version__ = '$1'"
py jax/_src/__init__.py </dev/null
py jax/_src/xla_bridge.py <<'P'
import importlib, logging, pkgutil, traceback
import jaxlib
import jax_plugins as _jp
logger = logging.getLogger(__name__)
def discover_pjrt_plugins():
    for _, name, _ in pkgutil.iter_modules(_jp.__path__, _jp.__name__ + '.'):
        try:
            module = importlib.import_module(name)
            module.initialize()
        except Exception as e:
            logger.exception("Jax plugin configuration error: Exception when calling %s.initialize()", name)
P
dist jax $1 py3-none-any jax -- "Requires-Dist: jaxlib<=$2,>=$2" 'Provides-Extra: cuda12' \
  "Requires-Dist: jaxlib<=$2,>=$2; extra == \"cuda12\"" \
  "Requires-Dist: jax-cuda12-plugin[with-cuda]<=$2,>=$2; extra == \"cuda12\""
py jaxlib/__init__.py <<<"from .version import __version__"
py jaxlib/version.py <<<"__version__ = '$2'"
py jaxlib/xla_client.py <<<'def register_custom_call_target(n, f): pass'
dist jaxlib $2 cp311-cp311-manylinux2014_x86_64 jaxlib
py jax_plugins/xla_cuda12/__init__.py <<'P'
import logging, os
from jax._src import xla_bridge
from jaxlib import xla_client
def initialize():
    xla_client.register_custom_type_id_handler("CUDA", None)
P
dist jax-cuda12-pjrt $3 py3-none-manylinux2014_x86_64 jax_plugins -- 'Requires-Dist: nvidia-cudnn-cu12'
py jax_cuda12_plugin/__init__.py </dev/null
py jax_cuda12_plugin/version.py <<<"__version__ = '$3'"
dist jax-cuda12-plugin $3 cp311-cp311-manylinux2014_x86_64 jax_cuda12_plugin -- "Requires-Dist: jax-cuda12-pjrt==$3"
}
# cupyenv DIST VERSION CUBLAS NVRTC: CuPy, which needs the one and opens the other
cupyenv() {
py cupy/__init__.py <<'P'
try:
    from cupy import _core
except ImportError as exc:
    raise ImportError("CuPy is not correctly installed.") from exc
P
py cupy/_core/__init__.py <<<'from cupy.cuda import compiler'
py cupy/cuda/__init__.py </dev/null
py cupy/cuda/compiler.py <<<'from cupy_backends.cuda.libs import nvrtc, cublas'
py cupy_backends/__init__.py </dev/null
py cupy_backends/cuda/__init__.py </dev/null
py cupy_backends/cuda/libs/__init__.py </dev/null
stub "$3" 'int cublasCreate_v2(void){return 0;}'
ext "$S/cupy_backends/cuda/libs/nvrtc.cpython-311-x86_64-linux-gnu.so" \
  <<<"const char *n=\"$4\"; void *dlopen(const char*,int); void *o(void){return dlopen(n,1);}"
ext "$S/cupy_backends/cuda/libs/cublas.cpython-311-x86_64-linux-gnu.so" -Wl,--no-as-needed stubs/$3 </dev/null
dist $1 $2 cp311-cp311-manylinux2014_x86_64 cupy cupy_backends -- 'Requires-Dist: numpy' 'Requires-Dist: fastrlock'
}
