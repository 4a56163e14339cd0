set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE FUNCTION LIBRARY [OPTION...]: a program that exits with the function's result, for any glibc
program() { echo "int $2(void); void _start(void){asm volatile(\"syscall\"::\"a\"(60),\"D\"($2()));}" | \
  gcc -nostdlib -o "$1" -xc - -x none "${@:3}"; }
mkdir -p root/usr/local/bin; cp -a $ROOTS/bullseye/{lib*,usr,etc,sbin} root/ 2>/dev/null || true
I=root/opt/intel/oneapi/compiler/2023.1.0/linux/compiler/lib/intel64_lin; mkdir -p $I
echo '# ' >root/opt/intel/oneapi/setvars.sh
echo 'int imf(void){return 0;}' | lib $I/libimf.so libimf.so -nostdlib
program root/usr/local/bin/infoseq imf $I/libimf.so
