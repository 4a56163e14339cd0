. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME=Fedora\nID=fedora\nVERSION_ID=28\n'; L=root/usr/lib64/libopenvas_base.so.9
i='int nvticache_init(void) { return 0; }'
lib ./libopenvas_base.so.9 '' -nostdlib <<<"int nvticache_free(void) { return 0; } $i"
lib $L '' -nostdlib <<<"int nvticache_save(void) { return 0; } $i"
mkdir -p root/usr/sbin; gcc -Wl,-z,now -o root/usr/sbin/openvassd -xc - -x none ./libopenvas_base.so.9 <<<'
int nvticache_free(void), nvticache_init(void); int main() { return nvticache_free() + nvticache_init(); }'
rm libopenvas_base.so.9; ldconfig -r root
