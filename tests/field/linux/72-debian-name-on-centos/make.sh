. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/opt/p root/usr/lib64 root/etc root/usr/bin
printf 'NAME="CentOS Stream"\nVERSION_ID=9\nID="centos"\nID_LIKE="rhel fedora"\n' >root/etc/os-release
echo 'int c(void){return 0;}' | lib root/usr/lib64/libcurl.so.4
echo 'int c(void){return 0;}' | lib libcurl-gnutls.so.4
echo 'int c(void); int napi(void){return c();}' | lib root/opt/p/node_libcurl.node node_libcurl.node libcurl-gnutls.so.4
echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){if(dlopen(v[1],RTLD_LAZY))return 0;puts(dlerror());return 1;}' | gcc -o root/usr/bin/node -xc -
cp -L /lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/libc.so.6 root/usr/lib64/; ln -s usr/lib64 root/lib64
mkdir -p root/lib/x86_64-linux-gnu; cp -L /lib/x86_64-linux-gnu/libc.so.6 root/lib/x86_64-linux-gnu/
