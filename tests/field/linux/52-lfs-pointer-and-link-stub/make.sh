. "$(dirname "$0")/../tools/lib.sh"

mkdir -p lib lib2
echo 'int a(void){return 0;}' | lib lib/libvart-trace.so.3
echo 'int a(void);int main(){return a();}' | gcc -o demo -xc - -x none lib/libvart-trace.so.3
printf '%s\n' 'version https://git-lfs.github.com/spec/v1' 'oid sha256:deed64e8727e4dbd00772c4f5992bca5' \
  'size 1876118' > lib/libvart-trace.so.3
echo 'int b(void){return 0;}' | lib lib2/libvart-util.so.3 libvart-util.so
echo 'int b(void);int main(){return b();}' | gcc -o demo2 -xc - -x none lib2/libvart-util.so.3
printf 'libvart-util.so.3\n' > lib2/libvart-util.so
