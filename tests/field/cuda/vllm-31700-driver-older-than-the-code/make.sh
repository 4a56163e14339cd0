#!/bin/bash
set -e; mkdir -p "$1/ubuntu/etc" "$1/debian/etc"; cd "$1"
printf 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\nVERSION_CODENAME=jammy\n' >ubuntu/etc/os-release
printf 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n' >debian/etc/os-release
