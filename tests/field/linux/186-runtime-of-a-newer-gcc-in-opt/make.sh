. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="CentOS Linux"\nID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="7"\n'; N=root/opt/gcc-8.2.0/lib64
echo 'GLIBCXX_3.4 { global: a; };' >old; echo 'GLIBCXX_3.4 { global: a; }; GLIBCXX_3.4.20 { global: b; };' >new
lib $N/libstdc++.so.6 '' -nostdlib -Wl,--version-script=new <<<'int a(void) { return 0; } int b(void) { return 0; }'
program root/home/d/DNAscent/bin/DNAscent b $N/libstdc++.so.6
lib root/usr/lib64/libstdc++.so.6 '' -nostdlib -Wl,--version-script=old <<<'int a(void) { return 0; }'
rm old new; ldconfig -r root
