. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Raspbian GNU/Linux"\nVERSION_ID="11"\nID=raspbian\nID_LIKE=debian\n'
lib ./libcblas.so.3 '' -nostdlib <<<'int cblas(void) { return 0; }'
program root/usr/bin/probe cblas ./libcblas.so.3; rm lib*; ldconfig -r root
