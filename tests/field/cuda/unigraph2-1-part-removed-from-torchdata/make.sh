#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py torchdata/__init__.py <<<'__version__ = "0.11.0"'
dist torchdata 0.11.0 py3-none-any torchdata
py dgl/__init__.py <<'E'
import os
if os.environ.get("DGLBACKEND", "pytorch") == "pytorch":
    from . import graphbolt
E
py dgl/graphbolt.py <<<'from torchdata.datapipes.iter import IterDataPipe'
dist dgl 2.1.0 py3-none-any dgl -- 'Requires-Dist: torchdata>=0.5.0'
