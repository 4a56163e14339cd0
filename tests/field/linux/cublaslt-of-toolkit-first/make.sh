#!/bin/bash
set -e; W=$1; cd $W; P=site/nvidia/cublas/lib; mkdir -p $P old
printf 'libcublasLt.so.11 { global: *; };\n' > v.map
echo 'int cublasLtCreate(void){return 0;}' > lt_old.c
echo 'int cublasLtCreate(void){return 0;} int cublasLtHSHMatmulAlgoInit(void){return 1;}' > lt.c
echo 'int cublasLtCreate(void); int cublasLtHSHMatmulAlgoInit(void);' > cublas.c
echo 'int cublasCreate_v2(void){return cublasLtCreate()+cublasLtHSHMatmulAlgoInit();}' >> cublas.c
gcc -shared -fPIC -Wl,-soname,libcublasLt.so.11 -Wl,--version-script,v.map -o $P/libcublasLt.so.11 lt.c
gcc -shared -fPIC -Wl,-soname,libcublasLt.so.11 -Wl,--version-script,v.map -o old/libcublasLt.so.11 lt_old.c
gcc -shared -fPIC -Wl,-soname,libcublas.so.11 -Wl,-z,now -Wl,-rpath,'$ORIGIN' -Wl,--enable-new-dtags \
  -o $P/libcublas.so.11 cublas.c -L$P -l:libcublasLt.so.11
cat > site/m.py <<'END'
import ctypes, os
ctypes.CDLL(os.path.join(os.path.dirname(__file__), "nvidia/cublas/lib/libcublas.so.11"))
END
