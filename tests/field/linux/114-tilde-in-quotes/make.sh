set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p bin home/cyclonedds/install/lib
echo 'int dds(void){return 0;}' | lib home/cyclonedds/install/lib/libddscx.so.0
echo 'int dds(void); int main(void){return dds();}' |
  gcc -o bin/talker -xc - -x none home/cyclonedds/install/lib/libddscx.so.0
