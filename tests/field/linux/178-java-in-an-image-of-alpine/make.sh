. "$(dirname "$0")/../tools/lib.sh"
J=root/usr/lib/jvm/zulu11; mkdir -p root/{lib,etc} $J/{bin,lib}; cp -L /lib/ld-musl-x86_64.so.1 root/lib/
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.8.2\n' >root/etc/os-release; touch root/.dockerenv
for n in tst i; do
  echo "int f$n(void) { return 0; }" | musl-gcc -shared -fPIC -o libX$n.so.6 -Wl,-soname,libX$n.so.6 -xc -; done
echo 'int ftst(void), fi(void); int x(void) { return ftst() + fi(); }' |
  musl-gcc -shared -fPIC -o $J/lib/libawt_xawt.so -xc - -x none ./libXtst.so.6 ./libXi.so.6; rm libX*
echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **v) { if (dlopen(v[1], RTLD_LAZY)) return 0; puts(dlerror()); return 1; }' |
  musl-gcc -o $J/bin/java -xc -
