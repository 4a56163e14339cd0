. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Red Hat Enterprise Linux Server"\nID="rhel"\nVERSION_ID="7.9"\n'
lib ./libimfx.so '' -nostdlib <<<'int fx(void) { return 0; }'
lib root/opt/darshan/lib/libdarshan.so '' -nostdlib ./libimfx.so <<<'int fx(void); int open_x(void) { return fx(); }'
echo 'int main(void) { return 0; }' | gcc -o root/usr/bin/tool -xc -; rm libimfx.so; ldconfig -r root
