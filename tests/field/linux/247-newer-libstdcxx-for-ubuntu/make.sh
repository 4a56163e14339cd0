. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 22.04 jammy)"; echo 'GLIBCXX_3.4.30 { global: old; local: *; };' >map
lib root/usr/lib/x86_64-linux-gnu/libstdc++.so.6 '' -nostdlib -Wl,--version-script=map \
  <<<'int old(void) { return 0; }'
echo 'GLIBCXX_3.4.32 { global: newer; };' >>map
lib ./libstdc++.so.6 '' -nostdlib -Wl,--version-script=map \
  <<<'int old(void) { return 0; } int newer(void) { return 0; }'
program root/opt/app/prog newer ./libstdc++.so.6; rm map libstdc*; ldconfig -r root
