set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
mkdir -p opt/ros/jazzy/lib/topic_tools
echo 'int t(void){return 0;}' | lib opt/ros/jazzy/lib/libthrottle_nodex.so
echo 'int t(void); int main(void){return t();}' |
  gcc -o opt/ros/jazzy/lib/topic_tools/throttle -xc - -x none opt/ros/jazzy/lib/libthrottle_nodex.so
