#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py confx/__init__.py <<'P'
class ConfigBase:
    _instances = {}
    def __new__(cls, data_sources=None, validate=True, singleton=True):
        if cls._instances.get(cls, None) is None:
            cls._instances[cls] = super(ConfigBase, cls).__new__(cls)
        return cls._instances[cls]
P
dist confx 5.0.0 py3-none-any confx
py bankx/__init__.py </dev/null
py bankx/config.py <<'P'
from confx import ConfigBase
class Config(ConfigBase):
    def __new__(cls, *args, **kwargs):
        if "data_sources" not in kwargs.keys():
            kwargs["data_sources"] = []
        if "write_reference" not in kwargs.keys():
            kwargs["write_reference"] = False
        return super(Config, cls).__new__(cls, *args, **kwargs)
P
py bankx/api.py <<'P'
from bankx.config import Config
class Api(object):
    def __init__(self, cfg=None):
        if not cfg:
            cfg = Config(write_reference=False)
        self.config = cfg
P
py bankx/cli.py <<'P'
import bankx.api as api
API_CLIENT = api.Api()
P
dist bankx 2.2.0 py3-none-any bankx -- 'Requires-Dist: confx'
