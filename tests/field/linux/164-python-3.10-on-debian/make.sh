. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="12"\n'
lib ./libpython3.10.so.1.0 '' -nostdlib <<<"int f(void){return 0;}"
program root/usr/bin/hyperiond f ./libpython3.10.so.1.0; rm *.so*; ldconfig -r root
