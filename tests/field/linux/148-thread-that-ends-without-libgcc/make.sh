. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root; cp -a $ROOTS/trixie/{lib*,usr,etc} root/ 2>/dev/null || true
rm -f root/usr/lib/x86_64-linux-gnu/libgcc_s.so.1
program root/usr/local/bin/bunx gnu_get_libc_version $ROOTS/trixie/usr/lib/x86_64-linux-gnu/libc.so.6 \
  -Wl,--allow-shlib-undefined
