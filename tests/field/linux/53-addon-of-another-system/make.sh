. "$(dirname "$0")/../tools/lib.sh"

mkdir -p node_modules/farmhash/build/Release
printf '\xcf\xfa\xed\xfe\x07\0\0\x01\3\0\0\0\10\0\0\0' > node_modules/farmhash/build/Release/farmhash.node
head -c 4000 /dev/zero >> node_modules/farmhash/build/Release/farmhash.node
echo '#include <dlfcn.h>
#include <stdio.h>
int main(){if(dlopen("node_modules/farmhash/build/Release/farmhash.node",RTLD_LAZY))return 0;puts(dlerror());return \
  1;}' | gcc -o node -xc -
