#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py llvmx/__init__.py </dev/null
py llvmx/binding/__init__.py <<<'from .targets import get_host_cpu_name'
py llvmx/binding/targets.py <<'P'
def get_host_cpu_name(): return 'x'
P
dist llvmx 0.44.0 py3-none-any llvmx
rm "$S/llvmx/binding/__init__.py"
py numbx/__init__.py <<<'from llvmx.binding import get_host_cpu_name'
dist numbx 0.61.2 py3-none-any numbx -- 'Requires-Dist: llvmx<0.45,>=0.44.0dev0'
