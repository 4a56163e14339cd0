. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="ol"\nID_LIKE="fedora"\nVERSION_ID="8.7"\n'; touch root/.dockerenv root/usr/bin/microdnf
J=root/usr/lib64/graalvm/graalvm22-ce-java17
lib ./libfreetype.so.6 '' -nostdlib <<<'int ft(void){return 0;}'
lib $J/lib/libfontmanager.so '' -nostdlib ./libfreetype.so.6 <<<'int ft(void); int x(void){return ft();}'
host $J/bin/java </dev/null; rm libfreetype.so.6; ldconfig -r root
