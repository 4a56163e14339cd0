set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }

mkdir vendor sys
echo 'int XML_new(void){return 0;} int XML_old(void){return 0;}' | lib sys/libexpatx.so.1
echo 'int XML_old(void){return 0;}' | lib vendor/libexpatx.so.1
echo 'int XML_new(void); int (*f)(void)=XML_new; int main(){return f();}' | gcc -o parse -xc - -x none \
  sys/libexpatx.so.1 -Wl,-rpath,'$ORIGIN/sys' -Wl,--enable-new-dtags
