. "$(dirname "$0")/../tools/lib.sh"
# NAME VERSION [REQUIREMENT...]: makes the distribution whose modules lie in $S/NAME
dist() {
  d=$S/$1-$2.dist-info; mkdir -p $d; printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' $1 $2 > $d/METADATA
  for r in "${@:3}"; do echo "Requires-Dist: $r" >> $d/METADATA; done
  printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n' > $d/WHEEL
  (cd $S; find $1 $1-$2.dist-info -type f; echo $1-$2.dist-info/RECORD) | sed 's/$/,,/' > $d/RECORD
}
python3 -m venv --without-pip v; S=$(echo v/lib/python3*/site-packages); mkdir -p $S/toolx.libs $S/toolx
echo 'int yy(void){return 0;}' | lib $S/toolx.libs/libyamlx-44556677.so.0
echo 'int yy(void);int main(){return yy();}' | \
  gcc -o v/bin/toolx -xc - -x none $S/toolx.libs/libyamlx-44556677.so.0 -Wl,-rpath,'$ORIGIN/../../toolx.libs'
touch $S/toolx/__init__.py; dist toolx 1.2; sed -i '1i ../../../bin/toolx,,' $S/toolx-1.2.dist-info/RECORD
