. "$(dirname "$0")/../tools/lib.sh"
mkdir -p bin home/cyclonedds/install/lib
echo 'int dds(void){return 0;}' | lib home/cyclonedds/install/lib/libddscx.so.0
echo 'int dds(void); int main(void){return dds();}' |
  gcc -o bin/talker -xc - -x none home/cyclonedds/install/lib/libddscx.so.0
