. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/{lib/apk/db,etc,usr/bin,usr/lib}
printf 'NAME="OpenWrt"\nID="openwrt"\nVERSION_ID="25.12.2"\n' >root/etc/os-release
cp -L /lib/ld-musl-x86_64.so.1 root/lib/
musl-gcc -shared -fPIC -o libonig.so.5 -Wl,-soname,libonig.so.5 -xc - <<<'int onig_new(void) { return 0; }'
musl-gcc -o root/usr/bin/jq -xc - -x none ./libonig.so.5 <<<'int onig_new(void); int main() { return onig_new(); }'
rm libonig.so.5; ln -s libonig.so.5.5.0 root/usr/lib/libonig.so.5
