set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE [OPTION...]: a program that opens the libraries it is given, and has the functions on stdin
host() { { cat; echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){for(int i=1;i<n;i++)if(!dlopen(v[i],RTLD_NOW)){puts(dlerror());return 1;}return 0;}'; } | \
  gcc -rdynamic -o "$1" -xc - -x none "${@:2}"; }
P=usr/lib/postgresql; mkdir -p $P/1{3,4}/{bin,lib}
echo 'int errstart(void){return 0;} int palloc(void){return 0;} int SPI_connect(void){return 0;}' | \
  host $P/13/bin/postgres
echo 'int errstart(void){return 0;} int errstart_cold(void){return 0;} int palloc(void){return 0;}
int SPI_connect(void){return 0;}' | host $P/14/bin/postgres
echo 'int errstart_cold(void); int palloc(void); int SPI_connect(void);
int h(void){return errstart_cold()+palloc()+SPI_connect();}' | \
  lib $P/13/lib/hypopg.so
