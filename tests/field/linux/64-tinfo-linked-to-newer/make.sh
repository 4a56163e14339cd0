. "$(dirname "$0")/../tools/lib.sh"

mkdir -p lib old
echo 'NCURSESX_TINFO_5.0 { global: tg; local: *; };' > v5; echo 'NCURSESX6_TINFO_5.0 { global: tg; local: *; };' > v6
echo 'int tg(void){return 0;}' | lib old/libtinfox.so.5 libtinfox.so.5 -Wl,--version-script=v5
echo 'int tg(void){return 0;}' | lib lib/libtinfox.so.6 libtinfox.so.6 -Wl,--version-script=v6
echo 'int tg(void);int main(){return tg();}' | gcc -o pboy -xc - -x none old/libtinfox.so.5
ln -s libtinfox.so.6 lib/libtinfox.so.5; rm -r old
