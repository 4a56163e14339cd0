. "$(dirname "$0")/../tools/lib.sh"

mkdir -p modules
echo 'int geoip2(void){return 0;}' | gcc -fPIC -c -o modules/geoip2.o -xc -
echo '#include <dlfcn.h>
#include <stdio.h>
int main(){if(dlopen("modules/geoip2.o",RTLD_LAZY))return 0;puts(dlerror());return 1;}' | gcc -o nginx -xc -
