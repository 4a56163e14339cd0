. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 14.04 trusty)"; O=root/opt/ros/indigo/lib; D=root/var/lib/dpkg/info; mkdir -p $O/image_view $D
old='int _ZN9cv_bridge6toCopyERKSs(void) { return 0; }' new='int _ZN9cv_bridge6toShowERKSs(void) { return 0; }'
lib ./libcv_bridge.so '' -nostdlib <<<"$old $new"
gcc -nostdlib -o $O/image_view/image_view -xc - -x none ./libcv_bridge.so -Wl,-rpath,/opt/ros/indigo/lib \
  <<<'int _ZN9cv_bridge6toCopyERKSs(void), _ZN9cv_bridge6toShowERKSs(void);
void _start(void) {
  asm volatile("syscall" ::"a"(60), "D"(_ZN9cv_bridge6toCopyERKSs() + _ZN9cv_bridge6toShowERKSs()));
}'
rm libcv_bridge.so; lib $O/libcv_bridge.so '' -nostdlib <<<"$old"
echo /opt/ros/indigo/lib/libcv_bridge.so >$D/ros-indigo-cv-bridge.list
echo /opt/ros/indigo/lib/image_view/image_view >$D/ros-indigo-image-view.list
lib ./libopencv_core3.so.3.3 '' <<<'int cvx(void){return 0;}'
program $O/web/server cvx ./libopencv_core3.so.3.3 -Wl,-rpath,/opt/ros/indigo/lib; rm libopencv_core3.so.3.3
lib $O/libopencv_core3.so.3.2 '' <<<'int cvx(void) { return 0; }'
echo /opt/ros/indigo/lib/libopencv_core3.so.3.2 >$D/ros-indigo-opencv3.list
echo /opt/ros/indigo/lib/web/server >$D/ros-indigo-web.list; ldconfig -r root
