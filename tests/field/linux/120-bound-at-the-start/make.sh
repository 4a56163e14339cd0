. "$(dirname "$0")/../tools/lib.sh"
cat >h.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **a) { void *h = dlopen(a[1], RTLD_NOW); if (!h) { puts(dlerror()); return 1; } return 0; }
E
gcc -o xserverx h.c -Wl,-z,lazy; sed -i s/RTLD_NOW/RTLD_LAZY/ h.c; gcc -o xserverx h.c; rm h.c
echo 'int xf86Rare(void); int m(void){return xf86Rare();}' | lib drv_x.so '' -Wl,-z,lazy
