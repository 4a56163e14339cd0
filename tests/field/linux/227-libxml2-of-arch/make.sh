. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Arch Linux"\nID=arch\n'
lib ./libxml2.so.2 '' -nostdlib <<<'int xmlInit(void) { return 0; }'
lib root/usr/lib64/libxml2.so.16 '' -nostdlib <<<'int xmlInit(void) { return 0; }'
program root/usr/lib/waybox xmlInit ./libxml2.so.2; rm libxml2*; ldconfig -r root
