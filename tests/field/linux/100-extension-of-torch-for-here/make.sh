set -e; cd $1
# NAME VERSION TAG [REQUIREMENT]: a wheel of the tree ./whl
wheel() {
  d=whl/$1-$2.dist-info; mkdir -p $d; printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: %s\n' $3 > $d/WHEEL
  printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' $1 $2 > $d/METADATA
  [ -z "$4" ] || echo "Requires-Dist: $4" >> $d/METADATA
  (cd whl; find . -type f | sed 's,^\./,,;s/$/,,/' > $1-$2.dist-info/RECORD; python3 -m zipfile -c ../$1-$2-$3.whl *)
}
# NAME FILE: an extension module
ext() {
  echo "struct D{long a[26];}; static struct D d; void*PyModuleDef_Init(void*); void*PyInit_$1(void){return 0;}" | \
    gcc -shared -fPIC -o $2 -xc -
}
mkdir -p whl/opsx; ext _ops whl/opsx/_ops.cpython-311-x86_64-linux-gnu.so
patchelf --add-needed libtorch_cpu.so --add-needed libc10.so whl/opsx/_ops.cpython-311-x86_64-linux-gnu.so
printf 'from . import _ops\n' > whl/opsx/__init__.py; wheel opsx 0.1 cp311-cp311-linux_x86_64
