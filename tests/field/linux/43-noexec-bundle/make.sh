# docker/compose#1339: a program of PyInstaller unpacks its libraries to /tmp/_MEI..., and /tmp is mounted noexec.
set -e; cd $1; mkdir -p tmp keep
echo 'int zver(void){return 3;}' | gcc -shared -fPIC -o keep/libzx.so.1 -Wl,-soname,libzx.so.1 -xc -
echo 'int zver(void);int main(){return zver()-3;}' | gcc -o compose -xc - -x none keep/libzx.so.1
