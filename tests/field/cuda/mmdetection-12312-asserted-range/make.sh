#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py mmcv/__init__.py <<<'from .version import *'
py mmcv/version.py <<'E'
__version__ = '2.2.0'
def parse_version_info(version_str):
    release = []
    for part in version_str.split('.'):
        if part.isdigit():
            release.append(int(part))
    return tuple(release)
version_info = tuple(int(x) for x in __version__.split('.')[:3])
__all__ = ['__version__', 'version_info', 'parse_version_info']
E
dist mmcv 2.2.0 py3-none-any mmcv
py mmengine/__init__.py </dev/null
py mmengine/utils/__init__.py <<<'from .version_utils import digit_version'
py mmengine/utils/version_utils.py <<'E'
import re
def digit_version(version_str: str, length: int = 4):
    """A tuple that orders as the version does."""
    numbers = []
    pre = [0, 0]
    for part in version_str.split('.'):
        if part.isdigit():
            numbers.append(int(part))
        elif part.find('rc') != -1:
            number, rc = part.split('rc')
            numbers.append(int(number))
            pre = [-1, int(rc)]
    numbers = numbers[:length]
    if len(numbers) < length:
        numbers = numbers + [0] * (length - len(numbers))
    numbers.extend(pre)
    return tuple(numbers)
E
dist mmengine 0.10.4 py3-none-any mmengine
py mmdet/version.py <<<"__version__ = '3.3.0'"
py mmdet/__init__.py <<'E'
import mmcv
import mmengine
from mmengine.utils import digit_version
from .version import __version__
mmcv_minimum_version = '2.0.0rc4'
mmcv_maximum_version = '2.2.0'
mmcv_version = digit_version(mmcv.__version__)
assert (mmcv_version >= digit_version(mmcv_minimum_version)
        and mmcv_version < digit_version(mmcv_maximum_version)), \
    f'MMCV=={mmcv.__version__} is used but incompatible. ' \
    f'Please install mmcv>={mmcv_minimum_version}, <{mmcv_maximum_version}.'
__all__ = ['__version__', 'digit_version']
E
dist mmdet 3.3.0 py3-none-any mmdet -- 'Requires-Dist: mmcv<2.2.0,>=2.0.0rc4; extra == "mim"'
