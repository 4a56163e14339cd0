. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME=Fedora\nID=fedora\nVERSION_ID=23\n'; S=root/usr/lib64
printf '/usr/local/lib\n/usr/lib64\n' >root/etc/ld.so.conf
o='int libusb_init(void) { return 0; }'; n='int libusb_get_parent(void)'
lib root/usr/local/lib/libusb-1.0.so.0 '' -nostdlib <<<"$o"
lib $S/libusb-1.0.so.0 '' -nostdlib <<<"$o $n { return 0; }"
lib $S/libgusb.so.2 '' -nostdlib $S/libusb-1.0.so.0 -Wl,-z,now <<<"$n; int g(void) { return libusb_get_parent(); }"
program root/usr/libexec/fwupd/fwupd g $S/libgusb.so.2 -Wl,-rpath-link,$S; ldconfig -r root
