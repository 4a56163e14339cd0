#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.4.1

py dgl/__init__.py <<<'from . import graphbolt'
py dgl/graphbolt/__init__.py <<'E'
import os
import sys
import torch

def load_graphbolt():
    """Loads the library of this release of torch."""
    vers = torch.__version__.split("+", maxsplit=1)[0]
    if sys.platform.startswith("linux"):
        basename = f"libgraphbolt_pytorch_{vers}.so"
    elif sys.platform.startswith("darwin"):
        basename = f"libgraphbolt_pytorch_{vers}.dylib"
    elif sys.platform.startswith("win"):
        basename = f"graphbolt_pytorch_{vers}.dll"
    else:
        raise NotImplementedError("Unsupported system: %s" % sys.platform)
    dirname = os.path.dirname(__file__)
    path = os.path.join(dirname, basename)
    if not os.path.exists(path):
        raise FileNotFoundError(f"Cannot find DGL C++ graphbolt library at {path}")
    try:
        torch.classes.load_library(path)
    except Exception:
        raise ImportError("Cannot load Graphbolt C++ library")

load_graphbolt()
E
for v in 2.3.1 2.4.0; do lib "$S/dgl/graphbolt/libgraphbolt_pytorch_$v.so" <<<'int f(void) { return 0; }'; done
dist dgl 2.1.0 cp311-cp311-manylinux1_x86_64 dgl -- 'Requires-Dist: torch'
