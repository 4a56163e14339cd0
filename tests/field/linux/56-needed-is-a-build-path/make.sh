. "$(dirname "$0")/../tools/lib.sh"

mkdir -p build/foo-1.0.0 inst/bin inst/lib
echo 'int m(void){return 0;}' | gcc -shared -fPIC -o build/foo-1.0.0/libmklx.so -xc -
echo 'int m(void);int main(){return m();}' | gcc -o inst/bin/foo -xc - -x none build/foo-1.0.0/libmklx.so \
  -Wl,-rpath,'$ORIGIN/../lib'
mv build/foo-1.0.0/libmklx.so inst/lib/; rm -r build
