. "$(dirname "$0")/../tools/lib.sh"

mkdir lib
echo 'int cblas_x(void){return 0;}' | lib lib/libgslcblasx.so.0
echo 'int cblas_x(void); int fit(void){return cblas_x();}' | lib lib/libgslx.so.25
echo 'int fit(void); int main(){return fit();}' | gcc -o fit -xc - -x none lib/libgslx.so.25 \
  -Wl,-rpath,'$ORIGIN/lib' -Wl,--unresolved-symbols=ignore-in-shared-libs
