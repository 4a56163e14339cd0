. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22"\nUBUNTU_CODENAME=noble\n'
for l in libwebkit2gtk-4.0.so.37 root/usr/lib/x86_64-linux-gnu/libwebkit2gtk-4.1.so.0
do echo 'int webkit_x(void){return 0;}' | lib ./$l '' -nostdlib; done
program root/usr/bin/restic-browser webkit_x ./libwebkit2gtk-4.0.so.37; rm libwebkit2gtk-4.0.so.37; ldconfig -r root
