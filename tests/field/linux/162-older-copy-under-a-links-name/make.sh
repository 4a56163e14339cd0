. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\nVERSION_ID="20230916"\n'
P=root/usr/lib/libpython3.11.so.1
lib $P libpython3.11.so.1.0 <<<'int PyModule_Create2(void) { return 0; }'
lib $P.0 libpython3.11.so.1.0 <<<'int PyModule_Create2(void) { return 0; } int _PyModule_Add(void) { return 0; }'
M=root/usr/lib/python3.11/lib-dynload; mkdir -p root/home
lib $M/math.so '' <<<'int PyModule_Create2(void), _PyModule_Add(void);
int PyInit_math(void) { return PyModule_Create2() + _PyModule_Add(); }'
gcc -o root/home/nimprog -xc - <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main() {
  const char *module = "/usr/lib/python3.11/lib-dynload/math.so";
  if (dlopen("libpython3.11.so.1", RTLD_NOW | RTLD_GLOBAL) && dlopen(module, RTLD_NOW)) return 0;
  puts(dlerror());
  return 1;
}
C
ldconfig -r root -X
