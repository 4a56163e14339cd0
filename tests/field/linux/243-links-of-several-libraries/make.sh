. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=raspbian\nID_LIKE=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n'
for l in core util; do
  lib ./libmmal_$l.so '' -nostdlib <<<"int mmal_$l(void) { return 0; }"
  lib root/usr/lib/x86_64-linux-gnu/libmmal_$l.so.0 '' -nostdlib <<<"int mmal_$l(void) { return 0; }"
done
program root/usr/local/bin/raspimjpeg mmal_core -Wl,--no-as-needed ./libmmal_*.so; rm libmmal*; ldconfig -r root
