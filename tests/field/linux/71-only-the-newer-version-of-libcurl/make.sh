. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/opt; cp -a $ROOTS/trixie/{lib*,usr,etc} root/ 2>/dev/null || true
D=root/usr/lib/x86_64-linux-gnu
for n in 3 4; do echo "CURLX_OPENSSL_$n { curlx_init; };" > $n.map
echo 'int curlx_init(void){return 0;}' | lib $n.so libcurlx.so.4 -Wl,--version-script=$n.map -nostdlib; done
program root/opt/FaustLive curlx_init ./3.so; mv 4.so $D/libcurlx.so.4; rm 3.so
