. "$(dirname "$0")/../tools/lib.sh"

echo 'struct {char c[16];} g_log_contextx={{1}}; int touch(void){return g_log_contextx.c[3];}' | lib libfastx.so
echo 'extern struct {char c[16];} g_log_contextx; int touch(void); int main(){
return touch()+(g_log_contextx.c[0]-1);}' | gcc -fno-pie -no-pie -o fdfs -xc - -x none libfastx.so -Wl,-rpath,'$ORIGIN'
echo 'struct {char c[64];} g_log_contextx={{1}}; int touch(void){return g_log_contextx.c[3];}' | lib libfastx.so
