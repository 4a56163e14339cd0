. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=43\n'
lib ./libicuuc.so.72 '' -nostdlib <<<'int u_strlen_72(void) { return 0; }'
lib root/usr/lib64/libicuuc.so.77 '' -nostdlib <<<'int u_strlen_77(void) { return 0; }'
program root/home/s/.flet/bin/flet u_strlen_72 ./libicuuc.so.72; rm libicuuc.so.72; ldconfig -r root
