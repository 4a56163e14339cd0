. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="void"\nNAME="Void"\n'; echo /usr/lib >>root/etc/ld.so.conf; D=root/var/db/xbps; mkdir -p $D
lib ./libquazip5.so.1 '' -nostdlib <<<'int quazip(void) { return 0; }'
program root/usr/bin/nomacs quazip ./libquazip5.so.1; rm libquazip*; ldconfig -r root
echo '<dict><key>file</key><string>/usr/bin/nomacs</string></dict>' >$D/.nomacs-files.plist
echo '<dict><key>file</key><string>/usr/lib/libquazip5.so.1</string></dict>' >$D/.quazip-files.plist
