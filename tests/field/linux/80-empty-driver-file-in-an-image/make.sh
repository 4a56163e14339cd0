. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/app root/proc; cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
D=root/usr/lib/x86_64-linux-gnu
echo 'int cuInit(void){return 0;}' | lib libcuda.so.1 libcuda.so.1 -nostdlib
program root/app/pycuda cuInit ./libcuda.so.1; rm libcuda.so.1
: > $D/libcuda.so.1; : > $D/libcuda.so.535.54.03; touch root/.dockerenv
