. "$(dirname "$0")/../tools/lib.sh"
J=root/usr/lib/jvm/java-17-openjdk-amd64/lib/server; mkdir -p $J root/usr/lib/R/bin root/opt
cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
echo 'int jvm(void){return 0;}' | lib $J/libjvm.so libjvm.so -nostdlib
echo 'int jvm(void); int rj(void){return jvm();}' | lib root/opt/rJava.so rJava.so $J/libjvm.so -nostdlib
echo 'void *dlopen(const char*,int); char *dlerror(void); int puts(const char*); void exit(int);
void _start(void){if(!dlopen("/opt/rJava.so",2)){puts(dlerror());exit(1);}exit(0);}' > r.c
gcc -nostdlib -fno-stack-protector -o root/usr/lib/R/bin/R r.c $ROOTS/bullseye/lib/x86_64-linux-gnu/libdl.so.2 \
  $ROOTS/bullseye/lib/x86_64-linux-gnu/libc.so.6
