. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=arch\nNAME="Arch Linux"\n'; echo /usr/lib >>root/etc/ld.so.conf
lib ./libcpuidx.so.15 '' -nostdlib <<<'int cpuid_present(void) { return 0; }'
lib root/usr/lib/libcpuidx.so.16 '' -nostdlib <<<'int cpuid_present(void) { return 0; }'; mkdir -p root/usr/bin
gcc -nostdlib -o root/usr/bin/cpu-x -xc - -x none ./libcpuidx.so.15 <<<'int cpuid_present(void);
void _start(void) { asm volatile("syscall" ::"a"(60), "D"(cpuid_present())); }'
rm libcpuidx.so.15; ldconfig -r root
package() { # NAME VALIDATION FILE
  local folder=root/var/lib/pacman/local/$1-1.0-1; mkdir -p $folder; printf '%%FILES%%\nusr/\n%s\n' "$3" >$folder/files
  printf '%%NAME%%\n%s\n\n%%BASE%%\n%s\n\n%%VALIDATION%%\n%s\n' "$1" "$1" "$2" >$folder/desc; }
package cpu-x none usr/bin/cpu-x; package libcpuidx pgp usr/lib/libcpuidx.so.16
