set -e; cd $1; mkdir -p root/bin root/lib root/usr/lib root/etc
cp -L /lib/ld-musl-x86_64.so.1 root/lib/
echo 'int c(void){return 0;}' | musl-gcc -shared -fPIC -o root/usr/lib/libcapx.so.2 -Wl,-soname,libcapx.so.2 -xc -
echo 'int c(void);int main(){return c();}' | musl-gcc -o root/bin/lsx -xc - -x none root/usr/lib/libcapx.so.2
echo 'int h(void){return 0;}' | musl-gcc -shared -fPIC -o root/usr/lib/libhmalloc.so -xc -
echo /usr/lib/libhmalloc.so > root/etc/ld-musl-x86_64.path
