. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME=Fedora\nID=fedora\nVERSION_ID=24\n'; mkdir -p root/usr/bin
G=root/opt/pghero/vendor/bundle/ruby/2.3.0/gems/nokogiri-1.6.8.1/lib/nokogiri
lib ./libgcryptx.so.11 '' -nostdlib <<<'int gcry(void) { return 0; }'
lib root/usr/lib64/libgcryptx.so.20 '' -nostdlib <<<'int gcry(void) { return 0; }'
lib $G/nokogiri.so '' -nostdlib ./libgcryptx.so.11 <<<'int gcry(void); int Init_nokogiri(void) { return gcry(); }'
rm libgcryptx*; ldconfig -r root; echo 'int x(void) { return 0; }' | host root/usr/bin/ruby
