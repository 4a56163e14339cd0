. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="11"\n'; M=root/usr/local/lib/php/extensions/no-debug-non-zts-20200930
mkdir -p root/usr/local/etc/php/conf.d root/usr/local/bin $M; touch root/.dockerenv
echo 'int zend_register_ini_entries(void){return 0;} int php_info_print_table_start(void){return 0;}' |
  host root/usr/local/bin/php
printf '#!/bin/sh\n' >root/usr/local/bin/docker-php-ext-install
lib $M/event.so '' -Wl,-z,now <<<'int zend_register_ini_entries(void); extern int *socket_ce;
int get_module(void){return zend_register_ini_entries()+*socket_ce;}'
echo 'extension=event' >root/usr/local/etc/php/conf.d/docker-php-ext-event.ini; ldconfig -r root
