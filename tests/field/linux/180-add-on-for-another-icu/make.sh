. "$(dirname "$0")/../tools/lib.sh"
M=root/var/www/node_modules/detect-character-encoding; mkdir -p root/{lib,etc} $M/build/Release root/usr/local/bin
cp -L /lib/ld-musl-x86_64.so.1 root/lib/
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.8.4\n' >root/etc/os-release
echo 'int ucnv_open_61(void), _ZN2v87Isolate10GetCurrentEv(void);
int init(void) { return ucnv_open_61() + _ZN2v87Isolate10GetCurrentEv(); }' |
  musl-gcc -shared -fPIC -Wl,-z,now -o $M/build/Release/icuWrapper.node -xc -
echo '#include <dlfcn.h>
#include <stdio.h>
int ucnv_open_60(void) { return 0; } int _ZN2v87Isolate10GetCurrentEv(void) { return 0; }
int main(int n, char **v) { if (dlopen(v[1], RTLD_LAZY)) return 0; puts(dlerror()); return 1; }' |
  musl-gcc -rdynamic -o root/usr/local/bin/node -xc -
