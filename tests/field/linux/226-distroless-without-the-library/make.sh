. "$(dirname "$0")/../tools/lib.sh"
root root 'PRETTY_NAME="Distroless"\nNAME="Debian GNU/Linux"\nID="debian"\nVERSION_ID="12"\n'
echo 'GLIBC_2.2.5 { global: old; }; GLIBC_2.38 { global: newer; };' >map
lib ./libc.so.6 '' -nostdlib -Wl,--version-script=map <<<'int old(void) { return 0; } int newer(void) { return 0; }'
lib ./liblzma.so.5 '' -nostdlib <<<'int lzma(void) { return 0; }'
program root/usr/bin/microbin newer ./libc.so.6 -Wl,--no-as-needed ./liblzma.so.5; rm map lib*.so*; ldconfig -r root
