. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root; cp -a $ROOTS/trixie/{lib*,usr,etc} root/ 2>/dev/null || true
L="libnss3.so libatk-1.0.so.0 libgbm.so.1 libasound.so.2"; for l in $L
do lib ./$l '' -nostdlib <<<"int f_${l//[-.]/_}(void){return 0;}"; done
program root/app/chrome f_libnss3_so -Wl,--no-as-needed $(for l in $L; do echo ./$l; done)
rm lib*.so* root/usr/lib/x86_64-linux-gnu/libnss3.so -f
