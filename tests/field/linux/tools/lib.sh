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
