. "$(dirname "$0")/../tools/lib.sh"

echo 'int mkl_opt(void){return 0;}' | lib libmklx_core.so
echo 'int mkl_opt(void); int run(void){return mkl_opt();}' | lib libmklx_avx2.so
echo 'int mkl_opt(void); int init(void){return mkl_opt();}' | lib ext.so ext.so -L. -lmklx_core -Wl,-rpath,'$ORIGIN'
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void){if(!dlopen("./ext.so",RTLD_NOW)){puts(dlerror());return 2;}
void*h=dlopen("./libmklx_avx2.so",RTLD_NOW);if(!h){puts(dlerror());return 1;}return ((int(*)(void))dlsym(h,"run"))();}
C
gcc -o host host.c
