. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 21.04 hirsute)"; R=root/home/pierre/.rbenv/versions/2.7.3; M=$R/lib/ruby/2.7.0/x86_64-linux
for l in ./libffi.so.7 root/usr/lib/x86_64-linux-gnu/libffi.so.8
do lib $l '' -nostdlib <<<'int ffi(void){return 0;}'; done
lib $M/fiddle.so '' -nostdlib ./libffi.so.7 <<<'int ffi(void);int Init_fiddle(void){return ffi();}'
host $R/bin/ruby </dev/null; rm libffi.so.7; ldconfig -r root
