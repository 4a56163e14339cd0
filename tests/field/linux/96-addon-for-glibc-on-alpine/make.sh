set -e; cd $1
mkdir -p root/lib root/etc root/app; cp -L /usr/lib/x86_64-linux-musl/libc.so root/lib/ld-musl-x86_64.so.1
ln -s ld-musl-x86_64.so.1 root/lib/libc.musl-x86_64.so.1
printf 'NAME="Alpine Linux"\nID=alpine\nVERSION_ID=3.19.1\n' > root/etc/os-release
cat > n.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**a){void*h=dlopen(a[1],RTLD_NOW);if(!h){puts(dlerror());return 1;}return 0;}
C
musl-gcc -o root/app/nodex n.c; echo '__thread int t; int y(void){return t++;}' | \
  gcc -shared -fPIC -o root/app/canvas.node -xc - -Wl,--no-as-needed -l:ld-linux-x86-64.so.2
