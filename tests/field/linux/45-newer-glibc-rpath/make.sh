# dust#233: patchelf --set-rpath leads a program to the libc.so.6 of a newer glibc; the loader stays that of the system.
set -e; cd $1; cp -L $ROOTS/trixie/lib/x86_64-linux-gnu/libc.so.6 .; mkdir -p glibc; mv libc.so.6 glibc/
echo 'int main(void){return 0;}' | gcc -o dust -xc - -Wl,-rpath,'$ORIGIN/glibc'
