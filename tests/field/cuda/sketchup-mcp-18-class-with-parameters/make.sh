#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py mcp/__init__.py </dev/null
py mcp/server.py <<'P'
from typing import Generic, TypeVar
LifespanT = TypeVar("LifespanT")
class FastMCP(Generic[LifespanT]):
    def __init__(self, name=None, instructions=None, *, lifespan=None):
        self.name = name
P
dist mcp 1.30.0 py3-none-any mcp
py sketchx/__init__.py <<'P'
from contextlib import asynccontextmanager
from mcp.server import FastMCP
@asynccontextmanager
async def lifespan(server):
    yield {}
mcp = FastMCP("sketch", description="a server", lifespan=lifespan)
P
dist sketchx 0.1.17 py3-none-any sketchx -- 'Requires-Dist: mcp>=1.3.0'
