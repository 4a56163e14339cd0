. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/etc root/usr/lib root/lib64 root/lib/x86_64-linux-gnu; P=root/usr/lib/R/library/igraphx
printf 'NAME="Arch Linux"\nID=arch\n' >root/etc/os-release
cp -L /lib64/ld-linux-x86-64.so.2 root/lib64/; cp -L /lib/x86_64-linux-gnu/libc.so.6 root/usr/lib/
ln -s /usr/lib/libc.so.6 root/lib/x86_64-linux-gnu
for n in ./libgfx.so.4 root/usr/lib/libgfx.so.5; do lib $n '' -nostdlib <<<'int gf(void){return 0;}'; done
lib $P/libs/igraphx.so '' ./libgfx.so.4 -nostdlib <<<'int gf(void);int ig(void){return gf();}'
printf 'Package: igraphx\nVersion: 1.2.1\n' >$P/DESCRIPTION
host root/usr/lib/R/bin/exec/R <<<''; rm libgfx*
