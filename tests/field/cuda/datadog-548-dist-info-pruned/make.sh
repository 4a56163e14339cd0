#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py opentelemetry/context/__init__.py <<'E'
import logging
from os import environ
from importlib.metadata import entry_points
from opentelemetry.context.context import _RuntimeContext
logger = logging.getLogger(__name__)
def _load_runtime_context():
    default_context = "contextvars_context"
    configured_context = environ.get("OTEL_PYTHON_CONTEXT", default_context)
    try:
        return next(
            iter(entry_points(group="opentelemetry_context", name=configured_context))
        ).load()()
    except Exception:
        logger.exception("Failed to load context: %s, fallback to %s", configured_context, default_context)
    return next(
        iter(entry_points(group="opentelemetry_context", name=default_context))
    ).load()()
_RUNTIME_CONTEXT = _load_runtime_context()
E
py opentelemetry/context/context.py <<'E'
class _RuntimeContext:
    pass
E
py opentelemetry/trace/__init__.py <<<'from opentelemetry import context as context_api'
dist opentelemetry-api 1.25.0 py3-none-any opentelemetry
rm -r "$S"/opentelemetry_api-1.25.0.dist-info
