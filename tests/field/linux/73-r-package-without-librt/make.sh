. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/usr/lib/R/bin root/opt; cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
echo 'int shm_open(const char*,int,int); int geo(void){return shm_open("/x",0,0);}' | \
  lib root/opt/rgeolocate.so rgeolocate.so -nostdlib
echo 'void *dlopen(const char*,int); char *dlerror(void); int puts(const char*); void exit(int);
void _start(void){if(!dlopen("/opt/rgeolocate.so",2)){puts(dlerror());exit(1);}exit(0);}' > r.c
gcc -nostdlib -fno-stack-protector -o root/usr/lib/R/bin/R r.c -L$ROOTS/bullseye/lib/x86_64-linux-gnu \
  $ROOTS/bullseye/lib/x86_64-linux-gnu/libdl.so.2 $ROOTS/bullseye/lib/x86_64-linux-gnu/libc.so.6
