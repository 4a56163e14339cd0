. "$(dirname "$0")/../tools/lib.sh"
mkdir -p app/lib; echo 'int zk(void){return 0;} int data[5000]={1};' | lib libzkx.so.2 libzkx.so.2 -g
echo 'int zk(void);int main(){return zk();}' | gcc -o app/zkcli -xc - -x none ./libzkx.so.2 -Wl,-rpath,'$ORIGIN/lib'
objcopy --only-keep-debug libzkx.so.2 app/lib/libzkx.so.2; rm libzkx.so.2
