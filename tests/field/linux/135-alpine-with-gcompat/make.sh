. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/{lib,lib64,root,etc}; cp -L /lib/ld-musl-x86_64.so.1 root/lib/
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.22\n' >root/etc/os-release
echo 'int __isoc99_sscanf(void){return 0;}' | \
  musl-gcc -shared -fPIC -o root/lib/libgcompat.so.0 -Wl,-soname,libgcompat.so.0 -xc -
ln -s libgcompat.so.0 root/lib/libc.so.6; ln -s libgcompat.so.0 root/lib/libresolv.so.2
ln -s ../lib/ld-musl-x86_64.so.1 root/lib64/ld-linux-x86-64.so.2
echo 'int __res_init(void); int main(){return __res_init();}' | gcc -o root/root/rill -xc - -lresolv
patchelf --add-needed libgcompat.so.0 root/root/rill
