#!/bin/bash
mkdir -p "$1"
. "$(dirname "$0")/../../linux/tools/lib.sh"
root root 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"\n'
W=root/usr/lib/wsl/lib; mkdir -p root/usr/lib/x86_64-linux-gnu; echo /usr/lib/wsl/lib >>root/etc/ld.so.conf
lib $W/libcuda.so.1.1 libcuda.so.1 -nostdlib <<<'int cuInit(int flags) { return 0; }'
cp $W/libcuda.so.1.1 $W/libcuda.so.1; cp $W/libcuda.so.1.1 $W/libcuda.so
host root/usr/bin/setup </dev/null
ldconfig -r root 2>/dev/null
