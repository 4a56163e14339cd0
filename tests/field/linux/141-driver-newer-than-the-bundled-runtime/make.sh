set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() {
  mkdir -p "$(dirname "$1")"
  gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE [OPTION...]: a program that opens the libraries it is given, and has the functions on stdin
host() { mkdir -p "$(dirname "$1")"; { cat; echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){for(int i=1;i<n;i++)if(!dlopen(v[i],RTLD_NOW)){puts(dlerror());return 1;}return 0;}'; } | \
  gcc -rdynamic -o "$1" -xc - -x none "${@:2}"; }
echo 'CX_1 { cx1; };' >1.map; echo 'CX_1 { cx1; }; CX_30 { cx2; } CX_1;' >2.map

lib app/libstdcx.so.6 '' -Wl,--version-script=1.map <<<'int cx1(void){return 0;}'
lib sys/libstdcx.so.6 '' -Wl,--version-script=2.map <<<'int cx1(void){return 0;}int cx2(void){return 0;}'
lib sys/dri/swrast_dri.so '' sys/libstdcx.so.6 -Wl,-rpath,'$ORIGIN/..' <<<'int cx2(void);int dr(void){return cx2();}'
lib app/libpythonx.so.1 '' app/libstdcx.so.6 <<<'int cx1(void);int pm(void){return cx1();}'
host app/MyPackage app/libpythonx.so.1 -Wl,-rpath-link,app <<<'int pm(void);int u(void){return pm();}'; rm *.map
