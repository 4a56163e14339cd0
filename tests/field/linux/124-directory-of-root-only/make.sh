. "$(dirname "$0")/../tools/lib.sh"
mkdir -p opt/s/lib
echo 'int s(void){return 0;}' | lib opt/s/lib/libsecretx.so.1
echo 'int s(void); int main(void){return s();}' |
  gcc -o opt/s/app -xc - -x none opt/s/lib/libsecretx.so.1 -Wl,-rpath,'$ORIGIN/lib'
chmod 700 opt/s/lib
