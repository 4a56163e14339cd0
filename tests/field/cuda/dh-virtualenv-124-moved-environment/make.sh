#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py tool/__init__.py <<<'def main(): print("tool")'
dist tool 1.0 py3-none-any tool
printf '#!%s/v/bin/python3\nfrom tool import main\nmain()\n' "$PWD" >v/bin/tool; chmod +x v/bin/tool
mv v moved
