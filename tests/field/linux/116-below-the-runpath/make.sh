set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p opt/rocm/lib/llvm/lib spack/bin
echo 'int omp(void){return 0;}' | lib opt/rocm/lib/llvm/lib/libompx.so
echo 'int hip(void){return 0;}' | lib opt/rocm/lib/libamdhip64x.so.6
echo 'int omp(void); int hip(void); int main(void){return omp()+hip();}' |
  gcc -o spack/bin/lmpx -xc - -x none opt/rocm/lib/llvm/lib/libompx.so opt/rocm/lib/libamdhip64x.so.6 \
  -Wl,-rpath,$PWD/opt/rocm/lib
