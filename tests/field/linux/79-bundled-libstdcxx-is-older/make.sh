. "$(dirname "$0")/../tools/lib.sh"
mkdir -p sys julia/bin julia/lib/julia
echo 'CXX_1 { cx_one; };' > 1.map; echo 'CXX_1 { cx_one; }; CXX_2 { cx_two; } CXX_1;' > 2.map
echo 'int cx_one(void){return 0;}' | lib julia/lib/julia/libstdcx.so.6 libstdcx.so.6 -Wl,--version-script=1.map
echo 'int cx_one(void){return 0;} int cx_two(void){return 0;}' | \
  lib sys/libstdcx.so.6 libstdcx.so.6 -Wl,--version-script=2.map
echo 'int cx_one(void); int jl(void){return cx_one();}' | lib julia/lib/libjuliax.so libjuliax.so \
  julia/lib/julia/libstdcx.so.6 -Wl,--disable-new-dtags -Wl,-rpath,'$ORIGIN/julia'
echo '#include <dlfcn.h>
#include <stdio.h>
int jl(void);int main(int n,char**v){if(!dlopen(v[1],RTLD_NOW)){puts(dlerror());return 1;}return jl();}' | \
  gcc -o julia/bin/julia -xc - -x none julia/lib/libjuliax.so -Wl,--disable-new-dtags -Wl,-rpath,'$ORIGIN/../lib' \
  -Wl,-rpath-link,julia/lib/julia
echo 'int cx_two(void); int ft(void){return cx_two();}' | lib ft2font.so ft2font.so sys/libstdcx.so.6
