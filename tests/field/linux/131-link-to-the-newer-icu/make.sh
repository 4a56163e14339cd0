. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/usr/lib root/usr/bin root/etc; ln -s usr/lib root/lib64; ln -s usr/lib root/lib
printf 'NAME="Arch Linux"\nID=arch\nBUILD_ID=rolling\n' >root/etc/os-release
cp -L /lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/libc.so.6 root/usr/lib/
mkdir -p root/usr/lib/x86_64-linux-gnu; cp -L /lib/x86_64-linux-gnu/libc.so.6 root/usr/lib/x86_64-linux-gnu/
for n in 69 70; do echo "int u_strncpy_$n(void){return 0;}" | lib $n.so libicuuc.so.$n -nostdlib; done
program root/usr/bin/fsearch u_strncpy_69 ./69.so -Wl,--dynamic-linker,/lib64/ld-linux-x86-64.so.2 -Wl,-z,now
cp 70.so root/usr/lib/libicuuc.so.70.1; ln -s libicuuc.so.70.1 root/usr/lib/libicuuc.so.70
ln -s libicuuc.so.70.1 root/usr/lib/libicuuc.so.69; rm *.so
