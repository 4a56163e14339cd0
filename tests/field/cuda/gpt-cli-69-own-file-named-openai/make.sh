#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
mkdir -p proj; venv 3.11
py openai/__init__.py <<<'class OpenAI: pass'
dist openai 1.2 py3-none-any openai
cat >proj/openai.py <<'E'
from openai import OpenAI
client = OpenAI()
E
