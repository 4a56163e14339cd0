#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.8.0+cpu
py torchcodec/__init__.py <<<'from . import decoders'
py torchcodec/decoders/__init__.py <<<'from .._core import ops'
py torchcodec/_core/__init__.py </dev/null
py torchcodec/_internally_replaced_utils.py <<'E'
import importlib
import importlib.machinery
import sys
from pathlib import Path
from types import ModuleType
def _get_extension_path(lib_name):
    extension_suffixes = []
    if sys.platform == "linux":
        extension_suffixes = importlib.machinery.EXTENSION_SUFFIXES
    elif sys.platform == "darwin":
        extension_suffixes = importlib.machinery.EXTENSION_SUFFIXES + [".dylib"]
    else:
        raise NotImplementedError("Platforms other than linux/darwin/win32 are not supported")
    loader_details = (importlib.machinery.ExtensionFileLoader, extension_suffixes)
    extfinder = importlib.machinery.FileFinder(str(Path(__file__).parent), loader_details)
    ext_specs = extfinder.find_spec(lib_name)
    if ext_specs is None:
        raise ImportError(f"No spec found for {lib_name}")
    if ext_specs.origin is None:
        raise ImportError(f"Existing spec found for {lib_name} does not have an origin")
    return ext_specs.origin
E
py torchcodec/_core/ops.py <<'E'
import traceback
import torch
from torchcodec._internally_replaced_utils import _get_extension_path
def load_torchcodec_shared_libraries():
    exceptions = []
    for ffmpeg_major_version in (8, 7, 6, 5, 4):
        core_library_name = f"libtorchcodec_core{ffmpeg_major_version}"
        try:
            core_library_path = _get_extension_path(core_library_name)
            torch.ops.load_library(core_library_path)
            return ffmpeg_major_version, core_library_path
        except Exception as e:
            exceptions.append((ffmpeg_major_version, e))
    traceback_info = (
        "[start of libtorchcodec loading traceback]"
        + "".join(f"FFmpeg version {v}: {str(e)}" for v, e in exceptions)
    )
    raise RuntimeError(
        f"""Could not load libtorchcodec. Likely causes:
          1. FFmpeg is not properly installed in your environment. We support
             versions 4, 5, 6, 7, and 8.
        """
        f"{traceback_info}"
    )
ffmpeg_major_version, core_library_path = load_torchcodec_shared_libraries()
E
lib libnvrtc.so.12 <<<'int n;'
for v in 8:60 7:59 6:58 5:57 4:56; do
  a=libavutil.so.${v#*:}; lib $a <<<'int avutil(void) { return 0; }'
  lib "$S/torchcodec/libtorchcodec_core${v%:*}.so" -Wl,--no-as-needed ./$a \
    ./libnvrtc.so.12 "$S/torch/lib/libtorch.so" </dev/null
  [ 7 = ${v%:*} ] && { mkdir -p ff; mv $a ff; } || rm $a
done; rm -f libnvrtc*
dist torchcodec 0.7.0 cp311-cp311-manylinux_2_28_x86_64 torchcodec
