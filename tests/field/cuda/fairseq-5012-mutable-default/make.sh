#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
py fairseq/__init__.py <<<'from fairseq.dataclass import FairseqDataclass'
py fairseq/dataclass/__init__.py <<<'from .configs import FairseqDataclass'
py fairseq/dataclass/configs.py <<'E'
from dataclasses import dataclass, field
from typing import Any, List, Optional

@dataclass
class FairseqDataclass:
    _name: Optional[str] = None

@dataclass
class CommonConfig(FairseqDataclass):
    no_progress_bar: bool = field(default=False, metadata={"help": "disable progress bar"})
    seed: int = field(default=1, metadata={"help": "pseudo random number generator seed"})

@dataclass
class FairseqConfig(FairseqDataclass):
    common: CommonConfig = CommonConfig()
    model: Any = None
E
dist fairseq 0.12.2 cp39-cp39-linux_x86_64 fairseq
