. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 24.04 noble)"; L=root/usr/lib/x86_64-linux-gnu; M=root/etc/nginx/modules; mkdir -p $M root/usr/sbin
lib $L/libmodsecurity.so.3 '' -nostdlib <<<'int msc_init(void){return 0;}'
lib $M/ngx_http_modsecurity_module.so '' -nostdlib -Wl,-z,now $L/libmodsecurity.so.3 <<<'extern int *pcre_malloc;
int msc_init(void), ngx_palloc(void); int ngx_modules(void){return *pcre_malloc+msc_init()+ngx_palloc();}'
echo 'int ngx_palloc(void){return 0;}' | host root/usr/sbin/nginx; ldconfig -r root
