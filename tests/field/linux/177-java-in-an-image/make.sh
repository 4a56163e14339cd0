. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 22.04 jammy)"; touch root/.dockerenv
J=root/opt/java/openjdk; calls=0; names=(Xext.so.6 X11.so.6 Xi.so.6)
for i in 0 1 2; do lib ./lib${names[i]} '' -nostdlib <<<"int f$i(void) { return 0; }"; calls="$calls + f$i()"; done
lib $J/lib/libawt_xawt.so '' -nostdlib ./libX* <<<"int f0(void), f1(void), f2(void); int x(void) { return $calls; }"
host $J/bin/java </dev/null; rm libX*; ldconfig -r root
