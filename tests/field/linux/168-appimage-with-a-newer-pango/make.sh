. "$(dirname "$0")/../tools/lib.sh"
hb='int hb_shapex(void) { return 0; }'; A=app/usr; mkdir -p $A/bin $A/lib sys
lib sys/libharfbuzzx.so.0 '' -nostdlib <<<"$hb"
lib ./libharfbuzzx.so.0 '' -nostdlib <<<"$hb int hb_later(void) { return 0; }"
lib $A/lib/libpangox-1.0.so.0 '' -nostdlib ./libharfbuzzx.so.0 -Wl,-z,now \
  <<<'int hb_shapex(void), hb_later(void); int pango_layout_new(void) { return hb_shapex() + hb_later(); }'
lib sys/libpangox-1.0.so.0 '' -nostdlib sys/libharfbuzzx.so.0 \
  <<<'int hb_shapex(void); int pango_layout_new(void) { return hb_shapex(); }'
program $A/bin/pod-gui pango_layout_new $A/lib/libpangox-1.0.so.0 -Wl,-rpath,'$ORIGIN/../lib' \
  -Wl,--unresolved-symbols=ignore-in-shared-libs
rm libharfbuzzx.so.0; root root 'ID=debian\nVERSION_ID="12"\n'
cp sys/* root/usr/lib/x86_64-linux-gnu/; mkdir -p root/opt; cp -r app root/opt/
patchelf --set-rpath /opt/app/usr/lib root/opt/app/usr/bin/pod-gui
ldconfig -r root
