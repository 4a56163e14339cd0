. "$(dirname "$0")/../tools/lib.sh"

mkdir -p root/usr/local/lib root/usr/local/bin; cp -a $ROOTS/bullseye/{lib*,usr,etc,sbin} root/ 2>/dev/null || true
echo 'int dv(void){return 0;}' | lib root/usr/local/lib/libducx.so.1
mkdir -p root/etc/ld.so.conf.d; echo 'include /etc/ld.so.conf.d/*.conf' > root/etc/ld.so.conf; echo /usr/local/lib \
  > root/etc/ld.so.conf.d/libc.conf
program root/usr/local/bin/duc dv root/usr/local/lib/libducx.so.1
