. "$(dirname "$0")/../tools/lib.sh"
mkdir -p usr/bin usr/lib env/lib/R/library/sf/libs; S=env/lib/R/library/sf/libs
echo 'OPENSSLX_3.0.0 { global: SSL_new; local: *; };' >map0
echo 'OPENSSLX_3.0.0 { global: SSL_new; local: *; }; OPENSSLX_3.2.0 { global: SSL_get0; };' >map2
echo 'int SSL_new(void){return 0;}' | lib usr/lib/libsslx.so.3 '' -Wl,--version-script,map0
echo 'int SSL_new(void){return 0;} int SSL_get0(void){return 0;}' |
  lib env/lib/libsslx.so.3 '' -Wl,--version-script,map2
echo 'int SSL_get0(void); int curlx(void){return SSL_get0();}' |
  lib env/lib/libcurlx.so.4 '' env/lib/libsslx.so.3 -Wl,-rpath,'$ORIGIN'
echo 'int curlx(void); int sf(void){return curlx();}' | lib $S/sf.so '' env/lib/libcurlx.so.4 \
  -Wl,-rpath,'$ORIGIN/../../../..' -Wl,--allow-shlib-undefined
gcc -o usr/bin/rsessionx -xc - -x none usr/lib/libsslx.so.3 -Wl,-rpath,'$ORIGIN/../lib' <<'E'
#include <dlfcn.h>
#include <stdio.h>
int SSL_new(void);
int main(int n, char **a) {
  void *h = dlopen(a[1], RTLD_LAZY);
  if (!h) { puts(dlerror()); return 1; }
  return SSL_new();
}
E
rm map0 map2
