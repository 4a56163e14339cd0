#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py paddlenlp/__init__.py <<<'from .transformers import download_utils'
py paddlenlp/transformers/__init__.py </dev/null
py paddlenlp/transformers/download_utils.py <<<'from aistudio_sdk.hub import download as aistudio_base_download'
dist paddlenlp 2.8.1 py3-none-any paddlenlp -- 'Requires-Dist: aistudio-sdk >=0.1.3'
py aistudio_sdk/__init__.py </dev/null
py aistudio_sdk/hub.py <<'P'
class Hub:
    pass
def create_repo(**kwargs):
    return Hub()
P
dist aistudio-sdk 0.3.8 py3-none-any aistudio_sdk
