# ip2unix#9, bindp#9: since glibc 2.30 a position-independent program cannot be named in LD_PRELOAD or opened by dlopen.
set -e; cd $1
echo 'int hook(void){return 1;} int main(void){return 0;}' | gcc -pie -fPIE -rdynamic -o ip2unixx -xc -
echo 'int main(void){return 0;}' | gcc -o env -xc -
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**a){void*h=dlopen(a[1],RTLD_NOW);if(!h){puts(dlerror());return 1;}return 0;}
C
gcc -o host host.c
