#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
jaxenv 0.9.0.1 0.9.0.1 0.9.2
