. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/opt; cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
L=$ROOTS/bullseye/lib/x86_64-linux-gnu
echo 'void *dlsym(void*,const char*); void *(*p)(void*,const char*)=dlsym; int bind(void){return 0;}' | \
  lib root/opt/force_bind.so force_bind.so -nostdlib
echo 'void exit(int); void _start(void){exit(0);}' | \
  gcc -nostdlib -fno-stack-protector -o root/opt/sh -xc - -x none $L/libc.so.6
