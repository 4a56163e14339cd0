. "$(dirname "$0")/../tools/lib.sh"
N=nix/store/jzjqfff4-ncurses-6.2/lib; mkdir -p root/$N root/opt
cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
echo 'int nc(void){return 0;}' | lib root/usr/lib/x86_64-linux-gnu/libncx.so.6 libncx.so.6 -nostdlib
echo 'int __libc_start_main(void); int nc(void){return 0;} int (*p)(void)=__libc_start_main;' | \
  lib root/$N/libncx.so.6 libncx.so.6 -nostdlib $ROOTS/trixie/lib/x86_64-linux-gnu/libc.so.6
program root/opt/tool nc root/usr/lib/x86_64-linux-gnu/libncx.so.6
