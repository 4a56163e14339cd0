. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Raspbian GNU/Linux"\nVERSION_ID="12"\nID=raspbian\nID_LIKE=debian\n'
rm -r root/usr/lib64/* root/usr/lib/x86*; H=root/usr/lib/arm-linux-gnueabihf; mkdir -p $H
cp -L /usr/arm-linux-gnueabihf/lib/ld-linux-armhf.so.3 root/usr/lib/; cp -L /usr/arm-linux-gnueabihf/lib/libc.so.6 $H
arm-linux-gnueabihf-gcc -o root/usr/bin/wmctrl -Wl,--dynamic-linker=/lib/arm-linux-gnueabihf/ld-linux.so.3 -xc - \
  <<<'int main(void) { return 0; }'
echo /usr/lib/arm-linux-gnueabihf >root/etc/ld.so.conf; ldconfig -r root
