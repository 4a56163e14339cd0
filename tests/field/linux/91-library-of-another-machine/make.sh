. "$(dirname "$0")/../tools/lib.sh"
mkdir -p sdk/lib; echo 'int cam(void){return 0;}' | lib sdk/lib/libcamsdkx.so.4
echo 'int cam(void);int main(){return cam();}' | \
  gcc -o sdk/viewer -xc - -x none sdk/lib/libcamsdkx.so.4 -Wl,-rpath,'$ORIGIN/lib'
printf '\xb7\x00' | dd of=sdk/lib/libcamsdkx.so.4 bs=1 seek=18 conv=notrunc 2>/dev/null  # EM_AARCH64
