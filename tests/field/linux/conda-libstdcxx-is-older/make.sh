. "$(dirname "$0")/../tools/lib.sh"

mkdir -p env/bin env/lib sys
printf 'CXX_1 { global: old; };\nCXX_2 { global: fresh; } CXX_1;\n' >new.map; \
  printf 'CXX_1 { global: old; };\n' >old.map
echo 'int old(void){return 0;} int fresh(void){return 0;}' | lib sys/libstdcx.so.6 libstdcx.so.6 \
  -Wl,--version-script=new.map
echo 'int old(void){return 0;}' | lib env/lib/libstdcx.so.6 libstdcx.so.6 -Wl,--version-script=old.map
echo 'int fresh(void); int main(){return fresh();}' | gcc -o env/bin/py -xc - -x none sys/libstdcx.so.6 \
  -Wl,-rpath,'$ORIGIN/../lib' -Wl,--disable-new-dtags
