. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 22.04 jammy)"; C=root/snap/core20/current/lib/x86_64-linux-gnu; mkdir -p stub $C root/home/u
M=root/snap/code/158/usr/lib/x86_64-linux-gnu/gtk-3.0/modules; G=root/usr/lib/x86_64-linux-gnu
echo 'GLIBC_PRIVATE { __libc_pthread_init; };' >v.map; p='int __libc_pthread_init(void)'; cp $G/libc.so.6 $C/
lib stub/libc.so.6 '' -nostdlib -Wl,--version-script=v.map <<<"$p { return 0; }"
lib $C/libpthread.so.0 '' -nostdlib stub/libc.so.6 -Wl,-z,now \
  <<<"$p; int pthread_x(void) { return __libc_pthread_init(); }"
lib $M/libcanberra-gtk-module.so '' -nostdlib $C/libpthread.so.0 -Wl,-rpath,/snap/core20/current/lib/x86_64-linux-gnu \
  -Wl,-rpath-link,stub,--disable-new-dtags <<<'int pthread_x(void); int gtk_module_init(void) { return pthread_x(); }'
lib $G/libgtk-3.so.0 '' <<<'#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int gtk_init(void) { char b[999]; char *p = getenv("GTK_PATH");
  if (p) snprintf(b, 999, "%s/modules/%s", p, "libcanberra-gtk-module.so");
  if (p && !dlopen(b, RTLD_LAZY)) puts(dlerror());
  return 0; }'
gcc -o root/home/u/rayx-ui -xc - -x none $G/libgtk-3.so.0 <<<'int gtk_init(void); int main() { return gtk_init(); }'
ldconfig -r root
