. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="12"\n'; touch root/.dockerenv
lib ./libssl.so.1.1 '' -nostdlib <<<'int s(void) { return 0; }'; program root/unleash-edge s ./libssl.so.1.1
rm libssl.so.1.1; ldconfig -r root
