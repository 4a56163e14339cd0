. "$(dirname "$0")/../tools/lib.sh"

mkdir -p sys squashfs-root/usr/bin squashfs-root/usr/lib
echo 'int gx_module_open(void){return 0;}' | lib squashfs-root/usr/lib/libgmodulex-2.0.so.0
echo 'int gx_module_open(void){return 0;} int gx_module_open_full(void){return 0;}' | lib sys/libgmodulex-2.0.so.0
echo 'int gx_module_open_full(void); int gio(void){return gx_module_open_full();}' | lib sys/libgiox-2.0.so.0 \
  libgiox-2.0.so.0 sys/libgmodulex-2.0.so.0 -Wl,-z,now
echo 'int gio(void),gx_module_open(void);int main(){return gio()+gx_module_open();}' | gcc -o \
  squashfs-root/usr/bin/app -xc - -x none \
  sys/libgiox-2.0.so.0 squashfs-root/usr/lib/libgmodulex-2.0.so.0 -Wl,--disable-new-dtags \
  -Wl,-rpath,'$ORIGIN/../lib':$PWD/sys -Wl,-z,now -Wl,--allow-shlib-undefined
