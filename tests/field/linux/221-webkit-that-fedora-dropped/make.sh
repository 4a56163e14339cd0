. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=43\n'
for l in soup-2.4.so.1 webkit2gtk-4.0.so.37 javascriptcoregtk-4.0.so.18; do
  lib ./lib$l '' -nostdlib <<<"int f_${l%%[0-9-]*}(void) { return 0; }"
done
program root/tmp/.mount_Bambu/bin/bambu-studio f_soup -Wl,--no-as-needed ./lib{soup,webkit,java}*
rm lib*; ldconfig -r root
