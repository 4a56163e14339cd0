. "$(dirname "$0")/../tools/lib.sh"
cat >h.c <<'E'
#include <dlfcn.h>
#include <stdio.h>
int main(int n, char **a) { void *h = dlopen(a[1], RTLD_NOW); if (!h) { puts(dlerror()); return 1; } return 0; }
E
gcc -o java h.c; rm h.c
echo 'int __android_log_print(int,...){return 0;}' | lib liblog.so
mkdir c; echo 'int libc_x;' | lib c/libc.so
echo 'int __android_log_print(int,...); int Java_f(void){return __android_log_print(1);}' |
  gcc -nostdlib -shared -fPIC -o libcoolx.so -Wl,-soname,libcoolx.so -xc - -x none ./liblog.so c/libc.so
rm -r liblog.so c
