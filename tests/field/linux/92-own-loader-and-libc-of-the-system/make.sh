set -e; cd $1
mkdir -p opt/glibc
cp -L $ROOTS/trixie/lib64/ld-linux-x86-64.so.2 $ROOTS/trixie/lib/x86_64-linux-gnu/libc.so.6 opt/glibc/
echo 'int main(){return 0;}' | gcc -o node24x -xc - -Wl,--dynamic-linker=$PWD/opt/glibc/ld-linux-x86-64.so.2
