. "$(dirname "$0")/../tools/lib.sh"
echo 'CX_1 { cx1; };' >1.map; echo 'CX_1 { cx1; }; CX_30 { cx2; } CX_1;' >2.map

lib sys/libstdcx.so.6 '' -Wl,--version-script=1.map <<<'int cx1(void){return 0;}'
lib gcc-9.3.0/lib64/libstdcx.so.6 '' -Wl,--version-script=2.map <<<'int cx1(void){return 0;}int cx2(void){return 0;}'
mkdir -p build gcc-9.3.0/bin
echo 'int cx2(void);int main(){return cx2();}' | gcc -o build/cmake -xc - -x none gcc-9.3.0/lib64/libstdcx.so.6 \
  -Wl,-rpath,$1/sys
rm *.map
