. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/usr/local/bin; cp -a $ROOTS/bullseye/{lib*,usr,etc,sbin} root/ 2>/dev/null || true
I=root/opt/intel/oneapi/compiler/2023.1.0/linux/compiler/lib/intel64_lin; mkdir -p $I
echo '# ' >root/opt/intel/oneapi/setvars.sh
echo 'int imf(void){return 0;}' | lib $I/libimf.so libimf.so -nostdlib
program root/usr/local/bin/infoseq imf $I/libimf.so
