set -e; cd $1; M=usr/lib64/php-zts/modules; mkdir -p usr/bin $M
gcc -o usr/bin/zts-php -rdynamic -xc - <<'E'
#include <dlfcn.h>
#include <stdio.h>
long compiler_globals_offset, executor_globals_offset, core_globals_offset;
int tsrm_get_ls_cache(void) { return 0; }
int zend_register_ini_entries(void) { return 0; }
int php_info_print_table_start(void) { return 0; }
int main(int n, char **a) {
  void *h = dlopen(a[1], RTLD_GLOBAL | RTLD_LAZY);
  if (!h) { puts(dlerror()); return 1; }
  return 0;
}
E
gcc -shared -fPIC -o $M/snuffleupagus.so -xc - <<'E'
extern int compiler_globals[8], executor_globals[8];
int zend_register_ini_entries(void), php_info_print_table_start(void);
int get_module(void) {
  return compiler_globals[1] + executor_globals[0] + zend_register_ini_entries() + php_info_print_table_start();
}
E
