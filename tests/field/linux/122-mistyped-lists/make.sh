. "$(dirname "$0")/../tools/lib.sh"
mkdir -p a/lib b/lib; echo 'int a1(void){return 0;}' | lib b/lib/libspacex.so.2
echo 'int a1(void);int main(void){return a1();}' | gcc -o app -xc - -x none b/lib/libspacex.so.2
mkdir -p home/sdk/lib home/lib lib; echo 'int s(void){return 0;}' | lib home/sdk/lib/libsdkx.so.3
echo 'int s(void);int main(void){return s();}' | gcc -o sdk -xc - -x none home/sdk/lib/libsdkx.so.3
for n in lib/libjemallocx.so.2 lib/libhookx.so home/lib/libhooky.so; do echo 'int h(void){return 0;}' | lib $n; done
echo 'int main(void){return 0;}' | gcc -o plain -xc -
