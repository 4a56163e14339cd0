. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="12"\n'; H=root/home/container; G=root/usr/lib/x86_64-linux-gnu
echo 'CXXABI_1.3.7 { a; };' >o.map; echo 'CXXABI_1.3.7 { a; }; CXXABI_1.3.8 { b; } CXXABI_1.3.7;' >n.map
a='int a(void) { return 0; }'; lib $H/libstdc++.so.6 '' -nostdlib -Wl,--version-script=o.map <<<"$a"
lib $G/libstdc++.so.6 '' -nostdlib -Wl,--version-script=n.map <<<"$a int b(void) { return 0; }"
lib $H/filesystem_stdio.so '' -nostdlib $G/libstdc++.so.6 <<<'int a(void), b(void); int f(void) { return a() + b(); }'
host $H/hlds_linux <<<''; ldconfig -r root
