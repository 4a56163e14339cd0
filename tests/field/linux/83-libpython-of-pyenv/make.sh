set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p home/.pyenv/versions/3.9.16/lib target/debug
echo 'int pyx(void){return 0;}' | lib home/.pyenv/versions/3.9.16/lib/libpythonx3.9.so.1.0
echo 'int pyx(void);int main(){return pyx();}' | \
  gcc -o target/debug/noos -xc - -x none home/.pyenv/versions/3.9.16/lib/libpythonx3.9.so.1.0
