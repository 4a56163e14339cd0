set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p sys conda/lib; echo 'NCX6_5.0 { tgetx; };' > v.map
echo 'int tgetx(void){return 0;}' | lib sys/libtinfox.so.6 libtinfox.so.6 -Wl,--version-script=v.map
echo '#include <stdio.h>
int tgetx(void){return fflush(stdout);}' | lib conda/lib/libtinfox.so.6
echo 'int tgetx(void);int main(){return tgetx();}' | \
  gcc -o bash -xc - -x none sys/libtinfox.so.6 -Wl,-rpath,'$ORIGIN/sys'
