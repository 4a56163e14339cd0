. "$(dirname "$0")/../tools/lib.sh"
echo 'CX_1 { cx1; };' >1.map; echo 'CX_1 { cx1; }; CX_30 { cx2; } CX_1;' >2.map

lib app/libstdcx.so.6 '' -Wl,--version-script=1.map <<<'int cx1(void){return 0;}'
lib sys/libstdcx.so.6 '' -Wl,--version-script=2.map <<<'int cx1(void){return 0;}int cx2(void){return 0;}'
lib sys/dri/swrast_dri.so '' sys/libstdcx.so.6 -Wl,-rpath,'$ORIGIN/..' <<<'int cx2(void);int dr(void){return cx2();}'
lib app/libpythonx.so.1 '' app/libstdcx.so.6 <<<'int cx1(void);int pm(void){return cx1();}'
host app/MyPackage app/libpythonx.so.1 -Wl,-rpath-link,app <<<'int pm(void);int u(void){return pm();}'; rm *.map
