#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.12
py scipy/__init__.py <<<'__version__ = "1.12.0"'
dist scipy 1.12.0 cp312-cp312-manylinux_2_17_x86_64 scipy
py scikitplot/__init__.py <<<'from . import metrics'
py scikitplot/metrics.py <<<'from scipy import interp'
dist scikit-plot 0.3.7 py3-none-any scikitplot -- 'Requires-Dist: scipy (>=0.9)'
py dython/__init__.py <<<'import scikitplot'
dist dython 0.7.4 py3-none-any dython -- 'Requires-Dist: scikit-plot (>=0.3.7)' 'Requires-Dist: scipy (>=1.7.1)'
