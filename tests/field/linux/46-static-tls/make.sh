# opencv#14884, xgboost#8488: a library with much initial-exec thread-local data is opened late: "cannot allocate
# memory in
# static TLS block".
set -e; cd $1
echo '__thread char area[4000] __attribute__((tls_model("initial-exec"))); char* at(void){return area;}' | gcc \
  -shared -fPIC -O1 -o libgompx.so.1 -Wl,-soname,libgompx.so.1 -xc -
echo 'char* at(void); int xg(void){return at()!=0;}' | gcc -shared -fPIC -o libxg.so -xc - -x none libgompx.so.1 \
  -Wl,-rpath,'$ORIGIN'
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**a){void*h=dlopen(a[1],RTLD_NOW);if(!h){puts(dlerror());return 1;}return 0;}
C
gcc -o host host.c
