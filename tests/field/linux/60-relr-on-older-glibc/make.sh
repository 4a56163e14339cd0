. "$(dirname "$0")/../tools/lib.sh"

mkdir -p root/opt/zz/_internal; cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
echo '#include <string.h>
int x; int *p[64]={&x,&x,&x,&x,&x,&x,&x,&x}; const char *volatile s=""; int zv(void){return \
  *p[3]+strlen(s);}' | lib root/opt/zz/_internal/libzx.so.1 libzx.so.1 -Wl,-z,pack-relative-relocs
program root/opt/zz/zapzap zv root/opt/zz/_internal/libzx.so.1 -Wl,-rpath,/opt/zz/_internal
