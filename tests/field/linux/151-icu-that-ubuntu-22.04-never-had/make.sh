. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 22.04 jammy)"
for l in libicui18n.so.67 root/usr/lib/x86_64-linux-gnu/libicui18n.so.70
do echo 'int u_x(void){return 0;}' | lib ./$l '' -nostdlib; done
program root/usr/bin/hexwalk u_x ./libicui18n.so.67; rm libicui18n.so.67; ldconfig -r root
