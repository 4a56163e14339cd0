. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 24.10 oracular)"; c='int upnpDiscover(void) { return 0; }'
lib ./libminiupnpc.so.17 '' -nostdlib <<<"$c"; lib root/usr/lib/x86_64-linux-gnu/libminiupnpc.so.18 '' -nostdlib <<<"$c"
program root/usr/bin/sunshine upnpDiscover ./libminiupnpc.so.17; rm libminiupnpc.so.17; ldconfig -r root
