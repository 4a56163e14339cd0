. "$(dirname "$0")/../tools/lib.sh"
mkdir -p app/lib; echo 'int tl(void){return 0;} int z[3000]; char big[900000]={1};' | lib app/lib/libtessx.so.5
echo 'int tl(void);int main(){return tl();}' | \
  gcc -o app/ocrx -xc - -x none app/lib/libtessx.so.5 -Wl,-rpath,'$ORIGIN/lib'
truncate -s 300000 app/lib/libtessx.so.5
