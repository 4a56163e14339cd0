. "$(dirname "$0")/../tools/lib.sh"
mkdir -p site/pyox/.libs; cd site/pyox/.libs; echo 'libcryptox.so.10 { CRY; };' > map
echo 'int CRY(void){return 0;}' | lib libcryptox.so.10 libcryptox.so.10 -Wl,--version-script=map
echo 'int CRY(void);int qt(void){return CRY();}' | lib libQt5Netx-98a68770.so.5 libQt5Netx-98a68770.so.5 \
  ./libcryptox.so.10 -Wl,-rpath,'$ORIGIN'
echo 'int CRY(void){return 0;}' | lib libcryptox-957ef781.so.1.0.2k
patchelf --replace-needed libcryptox.so.10 libcryptox-957ef781.so.1.0.2k libQt5Netx-98a68770.so.5
echo 'int qt(void);int m(void){return qt();}' | lib ../pyx.cpython-311-x86_64-linux-gnu.so pyx.so \
  ./libQt5Netx-98a68770.so.5 -Wl,-rpath,'$ORIGIN/.libs' -Wl,-rpath-link,.
rm libcryptox.so.10 map; cd ../../..
gcc -o py -xc - <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**a){for(int i=1;i<n;i++){void*h=dlopen(a[i],RTLD_NOW);if(!h){puts(dlerror());return 1;}}return 0;}
C
