#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.5.1
py torch/_inductor/__init__.py </dev/null
py torch/_inductor/runtime/__init__.py </dev/null
py torch/_inductor/runtime/hints.py <<'E'
import collections
from dataclasses import fields
def _is_triton_available():
    try:
        import triton
        return True
    except ImportError:
        return False
if _is_triton_available():
    try:
        from triton.backends.compiler import AttrsDescriptor
        def AttrsDescriptorWrapper(divisible_by_16=None, equal_to_1=None):
            return AttrsDescriptor.from_dict({})
    except ImportError:
        from triton.compiler.compiler import AttrsDescriptor
        attr_desc_fields = {f.name for f in fields(AttrsDescriptor)}
else:
    AttrsDescriptorWrapper = collections.namedtuple("AttrsDescriptor", ["divisible_by_16", "equal_to_1"])
E
echo 'Requires-Dist: triton (==3.1.0) ; platform_system == "Linux" and platform_machine == "x86_64"' \
  >>"$S"/torch-2.5.1.dist-info/METADATA
py triton/__init__.py <<<'__version__ = "3.3.0"'
py triton/backends/__init__.py </dev/null
py triton/backends/compiler.py <<<'class GPUTarget: pass'
py triton/compiler/__init__.py </dev/null
py triton/compiler/compiler.py <<<'class CompiledKernel: pass'
dist triton 3.3.0 cp39-cp39-manylinux_2_27_x86_64 triton
