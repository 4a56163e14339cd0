# patchelf#214, #455: patchelf --remove-needed leaves the table of needed versions as it was: it still names the
# library.
set -e; cd $1
echo 'int v(void){return 1;}' >a.c; echo 'V1 { v; };' >a.map; \
  gcc -shared -fPIC -o liba.so a.c -Wl,-soname,liba.so,--version-script=a.map
echo 'int v(void); int t(void){return v();}' | gcc -shared -fPIC -o libt.so -xc - -x none -L. -la -Wl,-soname,libt.so
patchelf --remove-needed liba.so libt.so
echo 'int t(void); int main(void){return t()-1;}' | gcc -o app -xc - -x none -L. -lt -Wl,-rpath,'$ORIGIN' \
  -Wl,--allow-shlib-undefined
