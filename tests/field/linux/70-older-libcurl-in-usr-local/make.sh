. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/usr/local/lib root/usr/bin; cp -a $ROOTS/bullseye/{lib*,usr,etc,sbin} root/ 2>/dev/null || true
D=root/usr/lib/x86_64-linux-gnu
echo 'CURLX_OPENSSL_4 { curlx_init; curlx_url_get; };' > new.map; echo 'CURLX_OPENSSL_4 { curlx_init; };' > old.map
echo 'int curlx_init(void){return 0;} int curlx_url_get(void){return 0;}' | lib $D/libcurlx.so.4 libcurlx.so.4 \
  -Wl,--version-script=new.map -nostdlib
echo 'int curlx_init(void){return 0;}' | lib root/usr/local/lib/libcurlx.so.4 libcurlx.so.4 \
  -Wl,--version-script=old.map -nostdlib
echo 'int curlx_url_get(void); void _start(void){asm volatile("syscall"::"a"(60),"D"(curlx_url_get()));}' | \
  gcc -nostdlib -Wl,-z,now -o root/usr/bin/curlx -xc - -x none $D/libcurlx.so.4
mkdir -p root/etc/ld.so.conf.d; echo 'include /etc/ld.so.conf.d/*.conf' > root/etc/ld.so.conf
echo /usr/local/lib > root/etc/ld.so.conf.d/libc.conf; chroot root /sbin/ldconfig
