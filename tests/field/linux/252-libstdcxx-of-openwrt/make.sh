. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/{lib,etc,usr/bin,usr/lib}; F=_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv
printf 'NAME="OpenWrt"\nID="openwrt"\nID_LIKE="lede openwrt"\nVERSION_ID="22.03.2"\n' >root/etc/os-release
cp /lib/ld-musl-x86_64.so.1 root/lib/; ln -s ld-musl-x86_64.so.1 root/lib/libc.so
musl-gcc -shared -fPIC -o libstdc++.so.6 -Wl,-soname,libstdc++.so.6 -xc - <<<"int $F(void) { return 0; }"
musl-gcc -shared -fPIC -o root/usr/lib/libstdc++.so.6 -Wl,-soname,libstdc++.so.6 -xc - \
  <<<'int _ZSt17__throw_bad_allocv(void) { return 0; }'
musl-gcc -o root/usr/bin/zerotier-cli -xc - -x none ./libstdc++.so.6 <<<"int $F(void); int main(void) { return $F(); }"
rm libstdc*
