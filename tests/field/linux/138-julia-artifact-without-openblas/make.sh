. "$(dirname "$0")/../tools/lib.sh"
mkdir -p opt/julia-1.9.3/{bin,lib/julia} home/.julia/artifacts/5f3a/lib
echo 'int dgemm_64_(void){return 0;}' | lib opt/julia-1.9.3/lib/julia/libopenblas64_.so.0
echo 'int dgemm_64_(void); int hsl(void){return dgemm_64_();}' | \
  lib home/.julia/artifacts/5f3a/lib/libhsl.so libhsl.so opt/julia-1.9.3/lib/julia/libopenblas64_.so.0
echo | host opt/julia-1.9.3/bin/julia
