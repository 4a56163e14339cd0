#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.13
py better_bing_image_downloader/__init__.py <<<'from .bing import Bing'
py better_bing_image_downloader/bing.py <<'E'
from pathlib import Path
import urllib.request
import urllib
import imghdr
class Bing: pass
E
dist better-bing-image-downloader 1.3.0 py3-none-any better_bing_image_downloader -- 'Requires-Python: >=3.7'
