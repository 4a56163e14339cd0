set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }

mkdir u32 u64
echo 'int o(void){return 0;}' | lib u64/overlayx.so
python3 -c "b=bytearray(open('u64/overlayx.so','rb').read()); b[4]=1; open('u32/overlayx.so','wb').write(b)"
echo 'int main(){return 0;}' | gcc -o game -xc -
