. "$(dirname "$0")/../tools/lib.sh"

mkdir vendor sys
echo 'int XML_new(void){return 0;} int XML_old(void){return 0;}' | lib sys/libexpatx.so.1
echo 'int XML_old(void){return 0;}' | lib vendor/libexpatx.so.1
echo 'int XML_new(void); int (*f)(void)=XML_new; int main(){return f();}' | gcc -o parse -xc - -x none \
  sys/libexpatx.so.1 -Wl,-rpath,'$ORIGIN/sys' -Wl,--enable-new-dtags
