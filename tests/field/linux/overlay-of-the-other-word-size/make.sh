. "$(dirname "$0")/../tools/lib.sh"

mkdir u32 u64
echo 'int o(void){return 0;}' | lib u64/overlayx.so
python3 -c "b=bytearray(open('u64/overlayx.so','rb').read()); b[4]=1; open('u32/overlayx.so','wb').write(b)"
echo 'int main(){return 0;}' | gcc -o game -xc -
