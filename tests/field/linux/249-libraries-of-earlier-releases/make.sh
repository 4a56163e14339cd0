. "$(dirname "$0")/../tools/lib.sh"
root jammy "$(ubuntu 22.04 jammy)"; root noble "$(ubuntu 24.04 noble)"
root bookworm 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n'
lib ./libjsoncpp.so.1 '' -nostdlib <<<'int json(void) { return 0; }'
program jammy/usr/local/bin/waybar json ./libjsoncpp.so.1; rm libjsoncpp.so.1
for each in jammy noble bookworm; do ldconfig -r $each; done
