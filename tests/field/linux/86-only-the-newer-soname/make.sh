. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/usr/local/bin; cp -a $ROOTS/trixie/{lib*,usr,etc} root/ 2>/dev/null || true
D=root/usr/lib/x86_64-linux-gnu; echo 'int gx(void){return 0;}' | lib old.so libgslx.so.25 -nostdlib
program root/usr/local/bin/clight gx ./old.so
echo 'int gx(void){return 0;}' | lib $D/libgslx.so.27.0.0 libgslx.so.27 -nostdlib
ln -s libgslx.so.27.0.0 $D/libgslx.so.27; ln -s libgslx.so.27 $D/libgslx.so
