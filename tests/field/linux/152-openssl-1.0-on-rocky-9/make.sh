. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.0"\nPLATFORM_ID="platform:el9"\n'
for l in libssl.so.10 root/usr/lib64/libssl.so.3
do echo 'int SSL_x(void){return 0;}' | lib ./$l '' -nostdlib; done
program root/usr/bin/termscp SSL_x ./libssl.so.10; rm libssl.so.10; ldconfig -r root
