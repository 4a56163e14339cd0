set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE [OPTION...]: a program that opens the libraries it is given, and has the functions on stdin
host() { { cat; echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){for(int i=1;i<n;i++)if(!dlopen(v[i],RTLD_NOW)){puts(dlerror());return 1;}return 0;}'; } | \
  gcc -rdynamic -o "$1" -xc - -x none "${@:2}"; }
mkdir -p opt/julia-1.9.3/{bin,lib/julia} home/.julia/artifacts/5f3a/lib
echo 'int dgemm_64_(void){return 0;}' | lib opt/julia-1.9.3/lib/julia/libopenblas64_.so.0
echo 'int dgemm_64_(void); int hsl(void){return dgemm_64_();}' | \
  lib home/.julia/artifacts/5f3a/lib/libhsl.so libhsl.so opt/julia-1.9.3/lib/julia/libopenblas64_.so.0
echo | host opt/julia-1.9.3/bin/julia
