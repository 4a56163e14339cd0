. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root; cp -a $ROOTS/trixie/{lib*,usr,etc} root/ 2>/dev/null || true
G=root/app/vendor/bundle/ruby/2.7.0/gems/mysql2x-0.5.3/lib/mysql2x
for n in ./libmyx.so.20 root/usr/lib/x86_64-linux-gnu/libmyx.so.21
do lib $n '' -nostdlib <<<'int m(void){return 0;}'; done
lib $G/mysql2x.so '' ./libmyx.so.20 -nostdlib <<<'int m(void);int i(void){return m();}'; rm libmyx*
