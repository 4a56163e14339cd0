. "$(dirname "$0")/../tools/lib.sh"
S=app/node_modules/sharp; mkdir -p $S/build/Release app/dist/server
lib $S/vendor/lib/libvips-cpp.so.42 '' -nostdlib <<<'int vips(void){return 0;}'
lib $S/build/Release/sharp.node '' -nostdlib $S/vendor/lib/libvips-cpp.so.42 -Wl,-rpath,'$ORIGIN/../../vendor/lib' \
  <<<'int vips(void);int napi(void){return vips();}'
cp $S/build/Release/sharp.node app/dist/server/; host node </dev/null
