. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=43\n'; A=root/tmp/.mount_tolariKJdp/usr; S=root/usr/lib64
old='int wl_display_connect(void) { return 0; }'; new='int wl_display_create_queue_with_name(void)'; mkdir -p $A/bin
lib $A/lib/libwayland-client.so.0 '' -nostdlib <<<"$old"
lib $S/libwayland-client.so.0 '' -nostdlib <<<"$old $new { return 0; }"
lib $S/libEGL_mesa.so.0 '' -nostdlib $S/libwayland-client.so.0 -Wl,-z,now \
  <<<"$new; int egl(void) { return wl_display_create_queue_with_name(); }"
gcc -o $A/bin/tolaria -xc - -x none -Wl,--no-as-needed $A/lib/libwayland-client.so.0 <<<'#include <dlfcn.h>
#include <stdio.h>
int main() { if (dlopen("libEGL_mesa.so.0", RTLD_LAZY)) return 0; puts(dlerror()); return 1; }'
ldconfig -r root
