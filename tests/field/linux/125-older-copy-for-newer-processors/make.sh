. "$(dirname "$0")/../tools/lib.sh"
mkdir -p lib/glibc-hwcaps/x86-64-v2; 
echo 'int a1(void){return 0;} int a2(void){return 0;}' | lib lib/libhwx.so.1;
  echo 'int a1(void){return 0;}' | lib lib/glibc-hwcaps/x86-64-v2/libhwx.so.1
echo 'int a2(void); int main(void){return a2();}' |
  gcc -o app -xc - -x none lib/libhwx.so.1 -Wl,-rpath,'$ORIGIN/lib' -Wl,-z,now
