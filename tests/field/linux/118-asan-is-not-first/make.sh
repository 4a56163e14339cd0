. "$(dirname "$0")/../tools/lib.sh"
cat >h.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **a) { void *h = dlopen(a[1], RTLD_NOW); if (!h) { puts(dlerror()); return 1; } return 0; }
E
gcc -o pyx h.c; rm h.c
echo 'int f(char*p){return p[3];}' | gcc -shared -fPIC -fsanitize=address -o warpx.so -xc -
echo 'int hook(void){return 0;}' | lib libvglx.so
echo 'int main(void){return 0;}' | gcc -fsanitize=address -o app -xc -
