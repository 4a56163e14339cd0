. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="openSUSE Tumbleweed"\nID=opensuse-tumbleweed\n'; A=root/tmp/.mount_2ktgAr/usr/bin; S=root/usr/lib64
lib $S/libharfbuzz.so.0 '' -nostdlib <<<'int hb(void) { return 0; } int hb_newer(void) { return 0; }'
lib $S/libpangoft2-1.0.so.0 '' -nostdlib $S/libharfbuzz.so.0 \
  <<<'int hb_newer(void); int pango(void) { return hb_newer(); }'
program $A/launch pango $S/libpangoft2-1.0.so.0 -Wl,-rpath-link,$S; ldconfig -r root
lib $A/libharfbuzz.so.0 '' -nostdlib <<<'int hb(void) { return 0; }'
