#!/bin/bash
set -e; mkdir -p "$1/image/etc/ld.so.conf.d" "$1/none"; cd "$1/image"
printf 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\nVERSION_CODENAME=jammy\n' >etc/os-release
touch .dockerenv
echo 'include /etc/ld.so.conf.d/*.conf' >etc/ld.so.conf
echo /usr/local/cuda-12.4/compat >etc/ld.so.conf.d/00-compat-1234567.conf
printf '# libc default\n/usr/local/lib\n' >etc/ld.so.conf.d/libc.conf
