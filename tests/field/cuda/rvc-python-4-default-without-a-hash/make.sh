#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py omegaconf/__init__.py <<<'MISSING = "???"; II = str'
dist omegaconf 2.0.6 py3-none-any omegaconf
py fairseq/__init__.py <<'E'
import os, sys
from fairseq.version import __version__
from fairseq.dataclass import FairseqDataclass
E
py fairseq/version.py <<<'__version__ = "0.12.2"'
py fairseq/dataclass/__init__.py <<'E'
from .configs import FairseqDataclass
E
py fairseq/dataclass/configs.py <<'E'
from dataclasses import _MISSING_TYPE, dataclass, field
from typing import Any, List, Optional
from omegaconf import II, MISSING
@dataclass
class FairseqDataclass:
    """fairseq base dataclass that supported fetching attributes and metas"""
    _name: Optional[str] = None
@dataclass
class CommonConfig(FairseqDataclass):
    no_progress_bar: bool = field(default=False, metadata={"help": "disable progress bar"})
    log_interval: int = field(default=100)
@dataclass
class FairseqConfig(FairseqDataclass):
    common: CommonConfig = CommonConfig()
    model: Any = MISSING
E
dist fairseq 0.12.2 cp311-cp311-linux_x86_64 fairseq -- 'Requires-Dist: omegaconf<2.1' 'Requires-Python: >=3.6'
