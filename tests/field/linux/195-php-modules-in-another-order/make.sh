. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="amzn"\nID_LIKE="rhel fedora"\nVERSION_ID="2018.03"\n'; M=root/usr/lib64/php/modules; mkdir root/etc/php.d
echo 'int zend_register_ini_entries(void){return 0;} int php_info_print_table_start(void){return 0;}' |
  host root/usr/bin/php
lib $M/json.so '' <<<'int zend_register_ini_entries(void); int get_module(void){return 0;}
int php_json_decode_ex(void){return zend_register_ini_entries();}'
lib $M/redis.so '' -Wl,-z,now <<<'int zend_register_ini_entries(void), php_json_decode_ex(void);
int get_module(void){return zend_register_ini_entries()+php_json_decode_ex();}'
echo 'extension=redis.so' >root/etc/php.d/20-redis.ini; echo 'extension=json.so' >root/etc/php.d/40-json.ini
ldconfig -r root
