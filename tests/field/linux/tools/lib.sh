# Sourced by make.sh: libraries and programs in the directory $1, whose directories are made where they lack.
set -e; cd "$1"

# FILE [SONAME] [OPTION...]: C on stdin
lib() {
  mkdir -p "$(dirname "$1")"
  gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE FUNCTION LIBRARY [OPTION...]: a program that exits with the function's result, for any glibc
program() { mkdir -p "$(dirname "$1")"
  echo "int $2(void); void _start(void){asm volatile(\"syscall\"::\"a\"(60),\"D\"($2()));}" | \
  gcc -nostdlib -o "$1" -xc - -x none "${@:3}"; }
# VERSION CODENAME: an os-release of Ubuntu
ubuntu() { printf 'ID=ubuntu\\nID_LIKE=debian\\nVERSION_ID="%s"\\nUBUNTU_CODENAME=%s\\n' "$@"; }
# DIR OS_RELEASE: a small root, whose loader and C library find what is in /usr/lib64 and in the directory of Debian
# once ldconfig -r DIR has run
root() {
  local gnu=x86_64-linux-gnu; mkdir -p "$1"/usr/{lib/$gnu,lib64,bin} "$1/etc"
  ln -s usr/lib "$1/lib"; ln -s usr/lib64 "$1/lib64"; ln -s usr/bin "$1/bin"
  cp -L /lib64/ld-linux-x86-64.so.2 "$1/usr/lib64/"; cp -L /lib/$gnu/libc.so.6 "$1/usr/lib/$gnu/"
  printf '/usr/lib64\n/usr/lib/%s\n' $gnu >"$1/etc/ld.so.conf"; printf "$2" >"$1/etc/os-release"; }
# FILE [OPTION...]: a program that opens the libraries it is given, and has the functions on stdin
host() { mkdir -p "$(dirname "$1")"; { cat; echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){for(int i=1;i<n;i++)if(!dlopen(v[i],RTLD_NOW)){puts(dlerror());return 1;}return 0;}'; } | \
  gcc -rdynamic -o "$1" -xc - -x none "${@:2}"; }
# FILE [OPTION...]: an extension module that has no names; C on stdin is compiled with it
ext() {
  local name; name=$(basename "$1"); name=${name%%.*}; mkdir -p "$(dirname "$1")"
  { cat; printf '%s\n' "static struct { long refs; void *type, *init; long index; void *copy;" \
    "const char *name, *doc; long size;" \
    "void *methods, *slots, *traverse, *clear, *release; } definition = {1, 0, 0, 0, 0, \"$name\", 0, -1};" \
    "void *PyModule_Create2(void *, int); void *PyInit_$name(void) { return PyModule_Create2(&definition, 1013); }"
} |
    gcc -shared -fPIC -o "$1" -xc - -x none "${@:2}"
}
