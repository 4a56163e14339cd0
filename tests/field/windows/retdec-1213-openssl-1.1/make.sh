#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
mkdir -p C/Windows/System32
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/retdec/bin/retdec-decompiler.exe --exe --imports libcrypto-1_1-x64.dll:EVP_MD_CTX_new KERNEL32.dll:ExitProcess
stub "C/Program Files/OpenSSL-Win64/bin/libcrypto-3-x64.dll" --exports EVP_MD_CTX_new
stub C/old/old.exe --machine i686 --exe --imports LIBEAY32.dll:ERR_get_error SSLEAY32.dll:SSL_new \
  KERNEL32.dll:ExitProcess
stub C/wide/old.exe --machine i686 --exe --imports LIBEAY32.dll:ERR_get_error KERNEL32.dll:ExitProcess
stub C/wide/libeay32.dll --exports ERR_get_error
