#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
cat >requirements.txt <<'E'
torch==2.4.1+cu121
torchvision==0.19.1+cu121
numpy==1.26.4
E
