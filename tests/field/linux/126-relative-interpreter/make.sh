set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p ctf run
cp -L /lib64/ld-linux-x86-64.so.2 ctf/; cp -L /lib/x86_64-linux-gnu/libc.so.6 ctf/
echo 'int main(void){return 0;}' | gcc -o ctf/wall -xc - -Wl,--dynamic-linker=./ld-linux-x86-64.so.2 \
  -Wl,-rpath,'$ORIGIN'
