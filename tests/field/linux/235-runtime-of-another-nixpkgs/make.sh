. "$(dirname "$0")/../tools/lib.sh"
N=nix/store; P=$N/p1-python3-3.8.9; mkdir -p $P/bin; echo 'GLIBC_2.2.5 { global: old; };' >map
lib $N/g1-glibc-2.31/lib/libc.so.6 '' -nostdlib -Wl,--version-script=map <<<'int old(void) { return 0; }'
cp -L /lib64/ld-linux-x86-64.so.2 $N/g1-glibc-2.31/lib/; echo 'GLIBC_2.33 { global: newer; };' >>map
lib ./libc.so.6 '' -nostdlib -Wl,--version-script=map <<<'int old(void){return 0;} int newer(void){return 0;}'
for gcc in "c1-gcc-9.3.0-lib old" "c2-gcc-10.3.0-lib newer"; do set -- $gcc
  lib $N/$1/lib/libstdc++.so.6 '' -nostdlib ./libc.so.6 <<<"int $2(void); int cxx(void) { return $2(); }"; done
lib ext.so '' -nostdlib $N/c1-gcc-9.3.0-lib/lib/libstdc++.so.6 <<<'int cxx(void); int ext(void) { return cxx(); }'
program $P/bin/python3.8 old $N/g1-glibc-2.31/lib/libc.so.6 -Wl,-rpath,/$N/g1-glibc-2.31/lib \
  -Wl,-dynamic-linker,/$N/g1-glibc-2.31/lib/ld-linux-x86-64.so.2; rm map libc.so.6
