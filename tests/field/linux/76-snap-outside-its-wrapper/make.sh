set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE FUNCTION LIBRARY [OPTION...]: a program that exits with the function's result, for any glibc
program() { echo "int $2(void); void _start(void){asm volatile(\"syscall\"::\"a\"(60),\"D\"($2()));}" | \
  gcc -nostdlib -o "$1" -xc - -x none "${@:3}"; }
A=root/snap/redis-manager/11; mkdir -p $A/usr/lib/x86_64-linux-gnu
cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
echo 'int xs(void){return 0;}' | lib $A/usr/lib/x86_64-linux-gnu/libxshmfencex.so.1 libxshmfencex.so.1 -nostdlib
program $A/redis-manager xs $A/usr/lib/x86_64-linux-gnu/libxshmfencex.so.1
