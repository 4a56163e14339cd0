. "$(dirname "$0")/../tools/lib.sh"
mkdir -p opt/rocm/lib/llvm/lib spack/bin
echo 'int omp(void){return 0;}' | lib opt/rocm/lib/llvm/lib/libompx.so
echo 'int hip(void){return 0;}' | lib opt/rocm/lib/libamdhip64x.so.6
echo 'int omp(void); int hip(void); int main(void){return omp()+hip();}' |
  gcc -o spack/bin/lmpx -xc - -x none opt/rocm/lib/llvm/lib/libompx.so opt/rocm/lib/libamdhip64x.so.6 \
  -Wl,-rpath,$PWD/opt/rocm/lib
