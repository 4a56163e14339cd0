. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="11"\n'; H=root/usr/lib/arm-linux-gnueabihf; N=root/usr/lib/aarch64-linux-gnu
rm -r root/usr/lib64/* root/usr/lib/x86*; mkdir -p $H $N root/opt/sugar
cp -L /usr/aarch64-linux-gnu/lib/ld-linux-aarch64.so.1 root/usr/lib/; cp -L /usr/aarch64-linux-gnu/lib/libc.so.6 $N
aarch64-linux-gnu-gcc -shared -nostdlib -o $N/libstdc++.so.6 -Wl,-soname,libstdc++.so.6 -xc - <<<'int s;'
cp -L /usr/arm-linux-gnueabihf/lib/ld-linux-armhf.so.3 root/usr/lib/; cp -L /usr/arm-linux-gnueabihf/lib/libc.so.6 $H
arm-linux-gnueabihf-gcc -shared -nostdlib -o libstdc++.so.6 -Wl,-soname,libstdc++.so.6 -xc - <<<'int s;'
arm-linux-gnueabihf-gcc -o root/opt/sugar/sugar-wifi-conf -xc - -x none ./libstdc++.so.6 \
  <<<'extern int s; int main(void) { return s; }'
printf '/usr/lib/aarch64-linux-gnu\n/usr/lib/arm-linux-gnueabihf\n' >root/etc/ld.so.conf; rm libstdc*; ldconfig -r root
