. "$(dirname "$0")/../tools/lib.sh"
mkdir -p interface usr/lib/qt5/plugins/platforms; P=usr/lib/qt5/plugins/platforms
N=_ZN11QFontEngine14bitmapForGlyphEj6QFixedRK10QTransform
echo 'Qtx_5 { global: qGuiApp; }; Qtx_5_PRIVATE_API { global: _ZN11QFontEngine*; local: *; };' >map
echo "int qGuiApp(void){return 0;} int $N(void){return 0;}" | lib usr/lib/libQt5Guix.so.5 '' -Wl,--version-script,map
echo 'int qGuiApp(void){return 0;} int _ZN11QFontEngine4typeEv(void){return 0;}' |
  lib interface/libQt5Guix.so.5 '' -Wl,--version-script,map
echo "int $N(void); int qpa(void){return $N();}" | lib usr/lib/libQt5XcbQpax.so.5 '' usr/lib/libQt5Guix.so.5 \
  -Wl,-z,now -Wl,-rpath,'$ORIGIN'
echo 'int qpa(void); int plugin(void){return qpa();}' | lib $P/libqxcbx.so '' usr/lib/libQt5XcbQpax.so.5 \
  -Wl,-rpath,'$ORIGIN/../../..' -Wl,--allow-shlib-undefined
gcc -o interface/interfacex -xc - -x none interface/libQt5Guix.so.5 -Wl,-rpath,'$ORIGIN' <<'E'
#include <dlfcn.h>
#include <stdio.h>
int qGuiApp(void);
int main(int n, char **a) {
  void *h = dlopen(a[1], RTLD_LAZY);
  if (!h) { puts(dlerror()); return 1; }
  return qGuiApp();
}
E
rm map
