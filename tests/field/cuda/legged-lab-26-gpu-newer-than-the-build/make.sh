#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.6.0+cu124
