. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 22.04 jammy)"
for l in libssl.so.1.1 root/usr/lib/x86_64-linux-gnu/libssl.so.3
do echo 'int SSL_x(void){return 0;}' | lib ./$l '' -nostdlib; done
program root/usr/bin/router SSL_x ./libssl.so.1.1; rm libssl.so.1.1; ldconfig -r root
