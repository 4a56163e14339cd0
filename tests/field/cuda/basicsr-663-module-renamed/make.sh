#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torchvision/__init__.py <<<'__version__ = "0.17.1"'
py torchvision/transforms/__init__.py <<<'from .functional import rgb_to_grayscale'
py torchvision/transforms/functional.py <<<'from . import _functional_tensor as F_t
def rgb_to_grayscale(img): pass'
py torchvision/transforms/_functional_tensor.py <<<'def rgb_to_grayscale(img): pass'
dist torchvision 0.17.1 py3-none-any torchvision
py basicsr/__init__.py <<<'from .data import *'
py basicsr/utils/__init__.py <<<'from .misc import scandir'
py basicsr/utils/misc.py <<'E'
import os
from os import path as osp
def scandir(dir_path, suffix=None, recursive=False, full_path=False):
    if (suffix is not None) and not isinstance(suffix, (str, tuple)):
        raise TypeError('"suffix" must be a string or tuple of strings')
    root = dir_path
    def _scandir(dir_path, suffix, recursive):
        for entry in os.scandir(dir_path):
            if not entry.name.startswith('.') and entry.is_file():
                if full_path:
                    return_path = entry.path
                else:
                    return_path = osp.relpath(entry.path, root)
                if suffix is None:
                    yield return_path
                elif return_path.endswith(suffix):
                    yield return_path
            else:
                if recursive:
                    yield from _scandir(entry.path, suffix=suffix, recursive=recursive)
                else:
                    continue
    return _scandir(dir_path, suffix=suffix, recursive=recursive)
E
py basicsr/data/__init__.py <<'E'
import importlib
from os import path as osp
from basicsr.utils import scandir
__all__ = ['build_dataset']
data_folder = osp.dirname(osp.abspath(__file__))
dataset_filenames = [osp.splitext(osp.basename(v))[0] for v in scandir(data_folder) if v.endswith('_dataset.py')]
_dataset_modules = [importlib.import_module(f'basicsr.data.{file_name}') for file_name in dataset_filenames]
def build_dataset(): pass
E
py basicsr/data/realesrgan_dataset.py <<<'from basicsr.data.degradations import circular_lowpass_kernel'
py basicsr/data/degradations.py <<<'from torchvision.transforms.functional_tensor import rgb_to_grayscale
def circular_lowpass_kernel(): pass'
dist basicsr 1.4.2 py3-none-any basicsr -- 'Requires-Dist: torchvision'
