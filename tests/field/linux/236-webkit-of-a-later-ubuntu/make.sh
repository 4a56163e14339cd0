. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 20.04 focal)"
lib ./libwebkit2gtk-4.1.so.0 '' -nostdlib <<<'int webkit(void) { return 0; }'
program root/usr/bin/tesla_auth webkit ./libwebkit2gtk-4.1.so.0; rm lib*.so*; ldconfig -r root
