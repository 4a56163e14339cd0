. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 24.04 noble)"; A=root/home/s/mangayomi; G=root/usr/lib/x86_64-linux-gnu
new='int mpv_create(void) { return 0; }'; old="$new int mpv_opengl_cb_draw(void) { return 0; }"
lib ./libmpv.so.1 '' -nostdlib <<<"$old"; lib $G/libmpv.so.2.2.0 libmpv.so.2 -nostdlib <<<"$new"
ln -s libmpv.so.2.2.0 $G/libmpv.so.2
lib $A/lib/libmedia_kit_video_plugin.so '' -nostdlib ./libmpv.so.1 \
  <<<'int mpv_create(void); int m(void) { return mpv_create(); }'
lib $A/lib/libolder.so '' -nostdlib ./libmpv.so.1 \
  <<<'int mpv_create(void), mpv_opengl_cb_draw(void); int o(void) { return mpv_create() + mpv_opengl_cb_draw(); }'
program $A/mangayomi m $A/lib/libmedia_kit_video_plugin.so -Wl,-rpath,/home/s/mangayomi/lib,-rpath-link,.
program $A/older o $A/lib/libolder.so -Wl,-rpath,/home/s/mangayomi/lib,-rpath-link,.; rm libmpv.so.1; ldconfig -r root
