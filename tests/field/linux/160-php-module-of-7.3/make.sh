. "$(dirname "$0")/../tools/lib.sh"
E=opt/elastic/apm-agent-php/extensions; mkdir -p $E
host usr/bin/php <<'C'
int zend_register_ini_entries(void) { return 0; }
int php_info_print_table_start(void) { return 0; }
int ap_php_snprintf(void) { return 0; }
const char *build = "API20190902,NTS";
C
module() { gcc -shared -fPIC -o $E/elastic_apm-$1.so -xc - <<C
int zend_register_ini_entries(void), $2(void);
const char *build = "API$1,NTS";
int (*print)(void) = $2;
int get_module(void) { return zend_register_ini_entries(); }
C
}
module 20180731 php_sprintf; module 20190902 ap_php_snprintf
