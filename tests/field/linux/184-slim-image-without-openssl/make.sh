. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="12"\n'; mkdir -p root/var/lib/apt/lists/partial; echo >root/usr/bin/sh
lib ./libssl.so.3 '' -nostdlib <<<'int s(void) { return 0; }'; program root/usr/local/bin/ord s ./libssl.so.3
rm libssl.so.3; ldconfig -r root
