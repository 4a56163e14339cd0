. "$(dirname "$0")/../tools/lib.sh"
mkdir -p opt/ros/jazzy/lib/topic_tools
echo 'int t(void){return 0;}' | lib opt/ros/jazzy/lib/libthrottle_nodex.so
echo 'int t(void); int main(void){return t();}' |
  gcc -o opt/ros/jazzy/lib/topic_tools/throttle -xc - -x none opt/ros/jazzy/lib/libthrottle_nodex.so
