set -e; cd $1
mkdir -p root/opt; cp -a $ROOTS/trixie/{lib*,usr,etc} root/ 2>/dev/null || true
echo '#include <dlfcn.h>
#include <stdio.h>
int main(void){if(dlopen("libfuse.so.2",RTLD_LAZY))return 0;
fputs("dlopen(): error loading libfuse.so.2\n\nAppImages require FUSE to run. \n",stderr);return 127;}' | \
  gcc -o root/opt/Qopy.AppImage -xc -
printf 'AI\002' | dd of=root/opt/Qopy.AppImage bs=1 seek=8 conv=notrunc status=none
