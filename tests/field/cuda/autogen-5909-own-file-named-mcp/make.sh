#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py mcp/__init__.py <<<'class StdioServerParameters: pass'
dist mcp 1.4 py3-none-any mcp
py autogen_ext/__init__.py </dev/null
py autogen_ext/tools/__init__.py </dev/null
py autogen_ext/tools/mcp/__init__.py <<'P'
from ._config import StdioServerParams
from ._factory import mcp_server_tools
P
py autogen_ext/tools/mcp/_config.py <<'P'
from mcp import StdioServerParameters
class StdioServerParams(StdioServerParameters): pass
P
py autogen_ext/tools/mcp/_factory.py <<<'def mcp_server_tools(): pass'
dist autogen-ext 0.4.8 py3-none-any autogen_ext -- 'Requires-Dist: mcp'
echo 'from autogen_ext.tools.mcp import StdioServerParams, mcp_server_tools' >mcp.py
