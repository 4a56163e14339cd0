. "$(dirname "$0")/../tools/lib.sh"
mkdir -p build/main dist/main; touch build/main/Analysis-00.toc
lib dist/main/_internal/libpython3.12.so.1.0 '' -nostdlib <<<'int Py_Initialize(void) { return 0; }'
gcc -o dist/main/main -xc - <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char b[4096] = "";
  if (readlink("/proc/self/exe", b, 4000) < 0) return 2;
  strcpy(strrchr(b, '/'), "/_internal/libpython3.12.so.1.0");
  if (dlopen(b, RTLD_NOW)) return 0;
  printf("[PYI-1:ERROR] Failed to load Python shared library '%s': dlopen: %s\n", b, dlerror());
  return 1;
}
C
cp dist/main/main build/main/
