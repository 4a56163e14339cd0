. "$(dirname "$0")/../tools/lib.sh"
mkdir modules
echo 'int ngx_log(void){return 0;} int ngx_conf(void){return 0;}' | host nginx
echo 'int ngx_log(void); int ndk_set_var_value(void){return ngx_log();}' | lib modules/ndk_http_module.so
echo 'int ngx_conf(void); int ndk_set_var_value(void); int lua(void){return ndk_set_var_value()+ngx_conf();}' | \
  lib modules/ngx_http_lua_module.so
