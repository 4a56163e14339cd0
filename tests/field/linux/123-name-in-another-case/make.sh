. "$(dirname "$0")/../tools/lib.sh"
mkdir lib; echo 'int a1(void){return 0;}' | lib lib/libMyEnginex.so
echo 'int a1(void);int main(void){return a1();}' | gcc -o app -xc - -x none lib/libMyEnginex.so -Wl,-rpath,'$ORIGIN/lib'
mv lib/libMyEnginex.so lib/libmyenginex.so
