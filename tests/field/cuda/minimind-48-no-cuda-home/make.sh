#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.4.1
py torch/utils/__init__.py </dev/null
py torch/utils/cpp_extension.py <<'E'
import os
import shutil
def _find_cuda_home():
    cuda_home = os.environ.get('CUDA_HOME') or os.environ.get('CUDA_PATH')
    if cuda_home is None:
        nvcc_path = shutil.which("nvcc")
        if nvcc_path is not None:
            cuda_home = os.path.dirname(os.path.dirname(nvcc_path))
        else:
            cuda_home = '/opt/no-toolkit/cuda'
            if not os.path.exists(cuda_home):
                cuda_home = None
    return cuda_home
CUDA_HOME = _find_cuda_home()
E
py deepspeed/__init__.py <<<'from . import ops'
py deepspeed/ops/__init__.py <<<'from ..git_version_info import compatible_ops as __compatible_ops__'
py deepspeed/git_version_info.py <<'E'
from .ops.op_builder.builder import FPQuantizerBuilder
compatible_ops = {}
for op_name, builder in {"fp_quantizer": FPQuantizerBuilder()}.items():
    op_compatible = builder.is_compatible()
    compatible_ops[op_name] = op_compatible
E
py deepspeed/ops/op_builder/__init__.py </dev/null
py deepspeed/ops/op_builder/builder.py <<'E'
import os
import subprocess
class MissingCUDAException(Exception):
    pass
def installed_cuda_version(name=""):
    import torch.utils.cpp_extension
    cuda_home = torch.utils.cpp_extension.CUDA_HOME
    if cuda_home is None:
        raise MissingCUDAException("CUDA_HOME does not exist, unable to compile CUDA op(s)")
    output = subprocess.check_output([cuda_home + "/bin/nvcc", "-V"], universal_newlines=True)
    return 12, 4
class FPQuantizerBuilder:
    NAME = "fp_quantizer"
    def is_compatible(self, verbose=False):
        sys_cuda_major, _ = installed_cuda_version()
        return sys_cuda_major > 11
E
dist deepspeed 0.15.1 py3-none-any deepspeed
