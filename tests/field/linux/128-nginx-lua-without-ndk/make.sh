set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE [OPTION...]: a program that opens the libraries it is given, and has the functions on stdin
host() { { cat; echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){for(int i=1;i<n;i++)if(!dlopen(v[i],RTLD_NOW)){puts(dlerror());return 1;}return 0;}'; } | \
  gcc -rdynamic -o "$1" -xc - -x none "${@:2}"; }
mkdir modules
echo 'int ngx_log(void){return 0;} int ngx_conf(void){return 0;}' | host nginx
echo 'int ngx_log(void); int ndk_set_var_value(void){return ngx_log();}' | lib modules/ndk_http_module.so
echo 'int ngx_conf(void); int ndk_set_var_value(void); int lua(void){return ndk_set_var_value()+ngx_conf();}' | \
  lib modules/ngx_http_lua_module.so
