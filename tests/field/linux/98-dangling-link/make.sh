. "$(dirname "$0")/../tools/lib.sh"
mkdir -p app/lib; echo 'int ml(void){return 0;}' | lib app/lib/libnvmx.so.550.54.15 libnvmx.so.1
echo 'int ml(void);int main(){return ml();}' | \
  gcc -o app/smix -xc - -x none app/lib/libnvmx.so.550.54.15 -Wl,-rpath,'$ORIGIN/lib'
ln -s libnvmx.so.535.86.10 app/lib/libnvmx.so.1
