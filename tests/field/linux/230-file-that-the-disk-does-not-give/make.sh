. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=42\n'
lib root/usr/lib64/libdruntime-ldc-shared.so.110 '' -nostdlib <<<'int d(void) { return 0; }'
program root/usr/bin/tilix d root/usr/lib64/libdruntime-ldc-shared.so.110; ldconfig -r root
