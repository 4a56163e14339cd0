. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Red Hat Enterprise Linux"\nID="rhel"\nID_LIKE="fedora"\nVERSION_ID="9.3"\nPLATFORM_ID="platform:el9"\n'
host root/usr/bin/ilorest <<<''; lib root/usr/lib64/libcrypt.so.2 '' -nostdlib <<<'int crypt(void) { return 0; }'
lib ./libcrypt.so.1 '' -nostdlib <<<'int crypt(void) { return 0; }'
lib root/tmp/libpython3.10.so.1.0 '' -nostdlib ./libcrypt.so.1 <<<'int crypt(void); int p(void) { return crypt(); }'
cp root/tmp/libpython3.10.so.1.0 root/kept; rm -r libcrypt.so.1 root/tmp; ldconfig -r root
