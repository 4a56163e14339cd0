. "$(dirname "$0")/../tools/lib.sh"

echo 'int t(void){return 0;}' | musl-gcc -shared -fPIC -o libjava-tree-sitterx.so -xc -
patchelf --replace-needed libc.so libc.musl-x86_64.so.1 libjava-tree-sitterx.so
echo '#include <dlfcn.h>
#include <stdio.h>
int main(){if(dlopen("./libjava-tree-sitterx.so",RTLD_NOW))return 0;puts(dlerror());return 1;}' | gcc -o java -xc -
