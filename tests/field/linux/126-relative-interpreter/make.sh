. "$(dirname "$0")/../tools/lib.sh"
mkdir -p ctf run
cp -L /lib64/ld-linux-x86-64.so.2 ctf/; cp -L /lib/x86_64-linux-gnu/libc.so.6 ctf/
echo 'int main(void){return 0;}' | gcc -o ctf/wall -xc - -Wl,--dynamic-linker=./ld-linux-x86-64.so.2 \
  -Wl,-rpath,'$ORIGIN'
