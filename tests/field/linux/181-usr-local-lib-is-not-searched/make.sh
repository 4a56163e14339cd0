. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=fedora\nVERSION_ID=23\n'; U=root/usr/local
lib $U/lib/libTw.so.4 '' -nostdlib <<<'int t(void) { return 0; }'
program $U/bin/twfindtwin t $U/lib/libTw.so.4; ldconfig -r root
