#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
jaxenv() { # jax jaxlib plugin
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
venv 3.11
jaxenv 0.4.30 0.4.30 0.4.30
sed -i 's/^Requires-Dist: nvidia-cudnn-cu12$/Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.1/' \
  "$S"/jax_cuda12_pjrt-*/METADATA
nvlib cudnn libcudnn.so.8; dist nvidia-cudnn-cu12 8.9.2.26 py3-none-manylinux1_x86_64 nvidia
small_torch 2.3.1; rm -r "$S"/torch-*; dist torch 2.3.1 cp311-cp311-manylinux1_x86_64 torch -- \
  'Requires-Dist: nvidia-cudnn-cu12==8.9.2.26'
