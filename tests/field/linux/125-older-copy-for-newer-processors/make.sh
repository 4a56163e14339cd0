set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p lib/glibc-hwcaps/x86-64-v2; 
echo 'int a1(void){return 0;} int a2(void){return 0;}' | lib lib/libhwx.so.1;
  echo 'int a1(void){return 0;}' | lib lib/glibc-hwcaps/x86-64-v2/libhwx.so.1
echo 'int a2(void); int main(void){return a2();}' |
  gcc -o app -xc - -x none lib/libhwx.so.1 -Wl,-rpath,'$ORIGIN/lib' -Wl,-z,now
