#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py omas/__init__.py <<<'from .omas_imas import *'
py omas/omas_imas.py <<'E'
import os

def load_omas_imas(user=os.environ['OMAS_USER'], machine=None):
    return None
E
dist omas 0.50.0 py3-none-any omas
