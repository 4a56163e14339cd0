. "$(dirname "$0")/../tools/lib.sh"
mkdir -p grr usr/bin
echo 'int PCx(void){return 0;}' | lib libtinfoy.so.5
echo 'int PCx(void); int readline(void){return PCx();}' |
  lib libreadlinex.so.5 '' ./libtinfoy.so.5 -Wl,-z,now -Wl,-rpath,'$ORIGIN'
mkdir usr/lib; mv libtinfoy.so.5 libreadlinex.so.5 usr/lib
echo 'int PCx(void); int readline(void){return PCx();}' | lib grr/libreadlinex.so.5 '' -Wl,-z,now
echo 'int readline(void); int main(void){return readline();}' |
  gcc -o usr/bin/shx -xc - -x none usr/lib/libreadlinex.so.5 -Wl,-rpath,'$ORIGIN/../lib' -Wl,--enable-new-dtags
