set -e; cd $1; mkdir plugins
gcc -o ClassiCubex -xc - <<'E'
#include <dlfcn.h>
#include <stdio.h>
int Commands_Register(void) { return 0; }
int main(int n, char **a) {
  void *h = dlopen(a[1], RTLD_NOW);
  if (!h) { puts(dlerror()); return 1; }
  return 0;
}
E
echo 'int Commands_Register(void); int Plugin_Init(void) { return Commands_Register(); }' |
  gcc -shared -fPIC -o plugins/clock.so -xc -
