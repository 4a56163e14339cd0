. "$(dirname "$0")/../tools/lib.sh"
mkdir -p usr/lib/R/lib usr/lib/R/library/methods/libs usr/local/lib/R/lib
echo 'int R_init(void){return 0;}' | lib usr/local/lib/R/lib/libRx.so
echo 'int R_init(void){return 0;} int R_typeToCharx(void){return 0;}' | lib usr/lib/R/lib/libRx.so
echo 'int R_typeToCharx(void); int m(void){return R_typeToCharx();}' | lib usr/lib/R/library/methods/libs/methods.so \
  methods.so usr/lib/R/lib/libRx.so -Wl,-rpath,$PWD/usr/lib/R/lib
echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){for(int i=1;i<n;i++)
if(!dlopen(v[i],RTLD_NOW|RTLD_GLOBAL)){puts(dlerror());return 1;}return 0;}' | gcc -o py -xc -
