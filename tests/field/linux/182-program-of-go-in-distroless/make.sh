. "$(dirname "$0")/../tools/lib.sh"
root root 'PRETTY_NAME="Distroless"\nNAME="Debian GNU/Linux"\nID="debian"\nVERSION_ID="12"\n'
echo 'GLIBC_2.2.5 { global: old; }; GLIBC_2.38 { global: newer; };' >map
lib ./libc.so.6 '' -nostdlib -Wl,--version-script=map <<<'int old(void) { return 0; } int newer(void) { return 0; }'
program root/app newer ./libc.so.6
echo info >info; objcopy --add-section .go.buildinfo=info root/app; rm info map libc.so.6; ldconfig -r root
