. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=40\n'
lib root/usr/local/lib/libjlinkarm.so.7 '' -nostdlib <<<'int jlink(void) { return 0; }'
program root/usr/local/MCUViewer/MCUViewer jlink root/usr/local/lib/libjlinkarm.so.7; ldconfig -r root
