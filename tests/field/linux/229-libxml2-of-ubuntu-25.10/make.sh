. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 25.10 questing)"
lib root/usr/lib/x86_64-linux-gnu/libxml2.so.16 '' -nostdlib <<<'int xmlInit(void) { return 0; }'
lib ./libxml2.so.2 '' -nostdlib <<<'int xmlInit(void) { return 0; }'
program root/usr/local/bin/c3c xmlInit ./libxml2.so.2; rm libxml2*; ldconfig -r root
