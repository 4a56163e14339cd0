. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=arch\nNAME="Arch Linux"\n'; echo /usr/lib >>root/etc/ld.so.conf
both='int quazip_open(void) { return 0; } int quazip_close(void) { return 0; }'
lib ./libquazip5.so.1 '' -nostdlib <<<"$both"
lib root/usr/lib/libquazip1-qt5.so.1.0.0 libquazip1-qt5.so.1.0 -nostdlib <<<"$both"; mkdir -p root/usr/bin
gcc -nostdlib -o root/usr/bin/ckb-next -xc - -x none ./libquazip5.so.1 <<<'int quazip_open(void), quazip_close(void);
void _start(void) { asm volatile("syscall" ::"a"(60), "D"(quazip_open() + quazip_close())); }'
rm libquazip5.so.1; ldconfig -r root
