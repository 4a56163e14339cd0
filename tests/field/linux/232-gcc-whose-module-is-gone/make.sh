. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="CentOS Linux"\nID="centos"\nVERSION_ID="7"\n'
G=root/opt/gcc/7.2.0/lib64; echo 'GLIBCXX_3.4 { global: old; };' >map
lib root/usr/lib64/libstdc++.so.6 '' -nostdlib -Wl,--version-script=map <<<'int old(void) { return 0; }'
echo 'GLIBCXX_3.4.21 { global: newer; };' >>map
lib $G/libstdc++.so.6 '' -nostdlib -Wl,--version-script=map <<<'int old(void){return 0;} int newer(void){return 0;}'
program root/opt/llvm/bin/clang newer $G/libstdc++.so.6; rm map; ldconfig -r root
