set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE FUNCTION LIBRARY [OPTION...]: a program that exits with the function's result, for any glibc
program() { echo "int $2(void); void _start(void){asm volatile(\"syscall\"::\"a\"(60),\"D\"($2()));}" | \
  gcc -nostdlib -o "$1" -xc - -x none "${@:3}"; }
mkdir -p root/app root/proc; cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
D=root/usr/lib/x86_64-linux-gnu
echo 'int cuInit(void){return 0;}' | lib libcuda.so.1 libcuda.so.1 -nostdlib
program root/app/pycuda cuInit ./libcuda.so.1; rm libcuda.so.1
: > $D/libcuda.so.1; : > $D/libcuda.so.535.54.03; touch root/.dockerenv
