. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="13"\nVERSION_CODENAME=trixie\n'
lib ./libpcap.so.0.8 '' -nostdlib <<<'int pcap(void) { return 0; }'
program root/tmp/netwatch pcap ./libpcap.so.0.8; rm libpcap*; ldconfig -r root
