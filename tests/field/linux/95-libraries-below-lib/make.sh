set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p tool-3.1/lib/x86_64-linux; cd tool-3.1/lib/x86_64-linux; echo 'int w(void){return 0;}' | lib libwavx.so.7
echo 'int v(void){return 0;}' | lib libvocx.so.1; cd ../../..
echo 'int w(void);int v(void);int main(){return w()+v();}' | \
  gcc -o tool-3.1/tool -xc - -x none tool-3.1/lib/x86_64-linux/lib*
