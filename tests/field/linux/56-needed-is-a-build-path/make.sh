set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }

mkdir -p build/foo-1.0.0 inst/bin inst/lib
echo 'int m(void){return 0;}' | gcc -shared -fPIC -o build/foo-1.0.0/libmklx.so -xc -
echo 'int m(void);int main(){return m();}' | gcc -o inst/bin/foo -xc - -x none build/foo-1.0.0/libmklx.so \
  -Wl,-rpath,'$ORIGIN/../lib'
mv build/foo-1.0.0/libmklx.so inst/lib/; rm -r build
