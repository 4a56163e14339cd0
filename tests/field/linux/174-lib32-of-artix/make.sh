. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Artix Linux"\nID=artix\nBUILD_ID=rolling\n'; X=root/usr/lib32; mkdir -p root/var/lib/pacman/local
printf '/usr/lib32\n/usr/lib\n' >>root/etc/ld.so.conf; llvm='int LLVMX(void) { return 0; }'
lib ./libLLVM-13.so '' -m32 -nostdlib <<<"$llvm"; lib $X/libLLVM-14.so '' -m32 -nostdlib <<<"$llvm"
for n in 13 14; do lib root/usr/lib/libLLVM-$n.so '' -nostdlib <<<"$llvm"; done
lib $X/dri/radeonsi_dri.so '' -m32 -nostdlib ./libLLVM-13.so <<<'int LLVMX(void); int r(void) { return LLVMX(); }'
rm libLLVM-13.so; ldconfig -r root
