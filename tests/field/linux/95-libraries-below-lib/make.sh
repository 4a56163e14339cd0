. "$(dirname "$0")/../tools/lib.sh"
mkdir -p tool-3.1/lib/x86_64-linux; cd tool-3.1/lib/x86_64-linux; echo 'int w(void){return 0;}' | lib libwavx.so.7
echo 'int v(void){return 0;}' | lib libvocx.so.1; cd ../../..
echo 'int w(void);int v(void);int main(){return w()+v();}' | \
  gcc -o tool-3.1/tool -xc - -x none tool-3.1/lib/x86_64-linux/lib*
