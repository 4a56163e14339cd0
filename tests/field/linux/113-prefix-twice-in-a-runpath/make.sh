. "$(dirname "$0")/../tools/lib.sh"
mkdir -p usr/bin usr/lib64/darktablex
echo 'int dt(void){return 0;}' | lib usr/lib64/darktablex/libdarktablex.so
echo 'int dt(void); int main(void){return dt();}' | gcc -o usr/bin/darktablex -xc - -x none \
  usr/lib64/darktablex/libdarktablex.so -Wl,-rpath,'$ORIGIN/..//usr/lib64/darktablex'
