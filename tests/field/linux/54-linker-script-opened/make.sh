set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }

mkdir -p lib
echo 'int g(void){return 0;}' | lib lib/libgcx_s.so.1
printf '/* GNU ld script\n   Use the shared library, but some functions are only in\n   the static library.  */\nGROUP ( libgcx_s.so.1 -lgcc )\n' > lib/libgcx_s.so
echo '#include <dlfcn.h>
#include <stdio.h>
int main(){if(dlopen("libgcx_s.so",RTLD_LAZY))return 0;puts(dlerror());return 1;}' | gcc -o tiny -xc -
