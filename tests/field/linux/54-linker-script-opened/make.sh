. "$(dirname "$0")/../tools/lib.sh"

mkdir -p lib
echo 'int g(void){return 0;}' | lib lib/libgcx_s.so.1
printf '%s\n' '/* GNU ld script' '   Use the shared library, but some functions are only in' \
  '   the static library.  */' 'GROUP ( libgcx_s.so.1 -lgcc )' > lib/libgcx_s.so
echo '#include <dlfcn.h>
#include <stdio.h>
int main(){if(dlopen("libgcx_s.so",RTLD_LAZY))return 0;puts(dlerror());return 1;}' | gcc -o tiny -xc -
