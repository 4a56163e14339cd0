#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W
prefix $W/conda 7 --conda; S=$W/conda/Lib/site-packages; B=$W/conda/Library/bin; mkdir -p $S/app $B
echo 'import _ssl' > $S/app/__init__.py
stub $B/libcrypto-1_1-x64.dll --exports OPENSSL_sk_new_reserve,OPENSSL_init
stub $B/libssl-1_1-x64.dll --exports SSL_new --imports libcrypto-1_1-x64.dll:OPENSSL_sk_new_reserve
stub $W/conda/DLLs/libcrypto-1_1-x64.dll --exports OPENSSL_init
stub $W/conda/DLLs/_ssl.pyd --exports PyInit__ssl --imports libssl-1_1-x64.dll:SSL_new python37.dll:Py_Main
