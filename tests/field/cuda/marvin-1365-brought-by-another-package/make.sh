#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py agentx/__init__.py </dev/null
py agentx/usage.py <<<'class RunUsage: pass'
dist agentx-slim 2.11.0 py3-none-any agentx
dist agentx 2.11.0 py3-none-any -- 'Requires-Dist: agentx-slim[mcp,openai]==2.11.0'
py marvx/__init__.py <<<'from agentx.usage import Usage'
dist marvx 3.2.7 py3-none-any marvx -- 'Requires-Dist: agentx>=1.9.0'
