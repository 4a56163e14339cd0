. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/usr/lib/x86_64-linux-gnu root/usr/bin root/etc root/lib64; ln -s usr/lib root/lib
printf 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="21.10"\n' >root/etc/os-release
cp -L /lib64/ld-linux-x86-64.so.2 root/lib64/; cp -L /lib/x86_64-linux-gnu/libc.so.6 root/usr/lib/x86_64-linux-gnu/
mkdir root/usr/lib/systemd
echo 'int sd(void){return 0;}' | lib 247.so libsystemd-shared-247.so -nostdlib; echo 'int sd(void){return 0;}' | \
  lib root/usr/lib/systemd/libsystemd-shared-248.so libsystemd-shared-248.so -nostdlib
program root/usr/bin/systemd-machine-id-setup sd ./247.so -Wl,--dynamic-linker,/lib64/ld-linux-x86-64.so.2 \
  -Wl,-rpath,/usr/lib/systemd; rm 247.so
