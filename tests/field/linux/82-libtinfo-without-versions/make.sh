. "$(dirname "$0")/../tools/lib.sh"
mkdir -p sys conda/lib; echo 'NCX6_5.0 { tgetx; };' > v.map
echo 'int tgetx(void){return 0;}' | lib sys/libtinfox.so.6 libtinfox.so.6 -Wl,--version-script=v.map
echo '#include <stdio.h>
int tgetx(void){return fflush(stdout);}' | lib conda/lib/libtinfox.so.6
echo 'int tgetx(void);int main(){return tgetx();}' | \
  gcc -o bash -xc - -x none sys/libtinfox.so.6 -Wl,-rpath,'$ORIGIN/sys'
