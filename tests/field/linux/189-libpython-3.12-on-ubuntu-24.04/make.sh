. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 24.04 noble)"; lib ./libpython3.12.so.1.0 '' -nostdlib <<<'int py(void) { return 0; }'
program root/opt/app/prog py ./libpython3.12.so.1.0; rm libpython3.12.so.1.0; ldconfig -r root
