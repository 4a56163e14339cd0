. "$(dirname "$0")/../tools/lib.sh"
E=root/usr/local/lib/php/extensions/no-debug-non-zts-20210902; mkdir -p root/{lib,etc} $E root/usr/local/bin
cp -L /lib/ld-musl-x86_64.so.1 root/lib/
printf 'ID=alpine\nVERSION_ID=3.18.5\n' >root/etc/os-release; touch root/.dockerenv
echo 'int _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv(void), zend_parse_parameters(void);
int get_module(void) {
  return _ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_disposeEv() + zend_parse_parameters();
}' | musl-gcc -shared -fPIC -Wl,-z,now -o $E/phpy.so -xc -
echo '#include <dlfcn.h>
#include <stdio.h>
int zend_parse_parameters(void) { return 0; }
int main(int n, char **v) { if (dlopen(v[1], RTLD_LAZY)) return 0; puts(dlerror()); return 1; }' |
  musl-gcc -rdynamic -o root/usr/local/bin/php -xc -
