. "$(dirname "$0")/../tools/lib.sh"
N=root/srv/app/node_modules/better-sqlite3; mkdir -p root/lib root/etc root/usr/local/bin $N/build/Release
cp -L /lib/ld-musl-x86_64.so.1 root/lib/; touch root/.dockerenv $N/binding.gyp
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.22.0\n' >root/etc/os-release
echo '{"name": "better-sqlite3", "version": "11.8.1"}' >$N/package.json
lib ./libc.so.6 '' -nostdlib <<<'int fcntl64(void) { return 0; }'
lib $N/build/Release/better_sqlite3.node '' -nostdlib ./libc.so.6 <<<'
int fcntl64(void), napi_create_object(void);
int (*p)(void) = fcntl64; int napi_register_module_v1(void) { return p() + napi_create_object(); }'
echo '#include <dlfcn.h>
#include <stdio.h>
int napi_create_object(void) { return 0; }
int main(int n, char **v) { if (dlopen(v[1], RTLD_LAZY)) return 0; puts(dlerror()); return 1; }' |
  musl-gcc -rdynamic -o root/usr/local/bin/node -xc -; rm libc.so.6
