. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Arch Linux"\nID=arch\n'
lib ./libarrow_dataset.so.1000 '' -nostdlib <<<'int scan(void) { return 0; }'
lib root/usr/lib/gdalplugins/ogr_Arrow.so '' -nostdlib ./libarrow_dataset.so.1000 \
  <<<'int scan(void); int plugin(void) { return scan(); }'
rm libarrow*; ldconfig -r root
