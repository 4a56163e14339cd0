set -e; cd $1
# NAME VERSION [REQUIREMENT...]: makes the distribution whose modules lie in $S/NAME
dist() {
  d=$S/$1-$2.dist-info; mkdir -p $d; printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' $1 $2 > $d/METADATA
  for r in "${@:3}"; do echo "Requires-Dist: $r" >> $d/METADATA; done
  printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n' > $d/WHEEL
  (cd $S; find $1 $1-$2.dist-info -type f; echo $1-$2.dist-info/RECORD) | sed 's/$/,,/' > $d/RECORD
}
python3 -m venv --without-pip v; S=$(echo v/lib/python3*/site-packages); mkdir -p $S/abx
echo 'int x;' | gcc -shared -fPIC -o $S/abx/_ab.cpython-36-x86_64-linux-gnu.so -xc -
echo 'from . import _ab' > $S/abx/__init__.py; dist abx 5.0
