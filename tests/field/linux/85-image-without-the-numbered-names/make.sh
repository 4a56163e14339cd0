. "$(dirname "$0")/../tools/lib.sh"
mkdir app; echo 'int mt(void){return 0;}' | lib libmtmdx.so.0.0.7 libmtmdx.so.0
echo 'int mt(void);int main(){return mt();}' | \
  gcc -o app/llama-server -xc - -x none ./libmtmdx.so.0.0.7 -Wl,-rpath,'$ORIGIN'
mv libmtmdx.so.0.0.7 app/libmtmdx.so
