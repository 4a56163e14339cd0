set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
echo 'int main(void){return 0;}' | gcc -o tool -xc -; chmod 644 tool
