set -e; cd $1
# FILE FUNCTION [OPTION...]: a program that exits with the function's result, for any glibc
program() { mkdir -p "$(dirname "$1")"
  echo "int $2(void); void _start(void){asm volatile(\"syscall\"::\"a\"(60),\"D\"($2()));}" | \
  gcc -nostdlib -o "$1" -xc - -x none "${@:3}"; }
mkdir -p root; cp -a $ROOTS/trixie/{lib*,usr,etc} root/ 2>/dev/null || true
rm -f root/usr/lib/x86_64-linux-gnu/libgcc_s.so.1
program root/usr/local/bin/bunx gnu_get_libc_version $ROOTS/trixie/usr/lib/x86_64-linux-gnu/libc.so.6 \
  -Wl,--allow-shlib-undefined
