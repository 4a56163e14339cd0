. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/lib root/etc root/usr/bin root/tmp; cp -L /lib/ld-musl-x86_64.so.1 root/lib/
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.20\n' >root/etc/os-release
echo 'int cx(void){return 0;}' | musl-gcc -shared -fPIC -o libstdc++.so.6 -Wl,-soname,libstdc++.so.6 -xc -
echo 'int cx(void); int jni(void){return cx();}' | \
  musl-gcc -shared -fPIC -o root/tmp/librocksdbjni42.so -xc - -x none ./libstdc++.so.6
echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){if(dlopen(v[1],RTLD_LAZY))return 0;puts(dlerror());return 1;}' | \
  musl-gcc -o root/usr/bin/java -xc -
