. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 18.04 bionic)"
Q=root/opt/Qt5.12.9/5.12.9/gcc_64/lib; S=root/usr/lib/x86_64-linux-gnu; echo 'Qt_5 { global: old; };' >map
lib $S/libQt5Core.so.5 '' -nostdlib -Wl,--version-script=map <<<'int old(void) { return 0; }'
lib $S/libQt5Gui.so.5 '' -nostdlib <<<'int gui(void) { return 0; }'; mkdir -p $Q; cp $S/libQt5Gui.so.5 $Q
echo 'Qt_5.12 { global: newer; };' >>map
lib $Q/libQt5Core.so.5 '' -nostdlib -Wl,--version-script=map <<<'int old(void){return 0;} int newer(void){return 0;}'
program root/usr/bin/kshare newer $Q/libQt5Core.so.5 -Wl,--no-as-needed $Q/libQt5Gui.so.5; rm map; ldconfig -r root
