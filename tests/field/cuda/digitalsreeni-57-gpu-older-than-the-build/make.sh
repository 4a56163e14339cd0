#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
small_torch 2.8.0+cu128
