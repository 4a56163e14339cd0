. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=manjaro\nID_LIKE=arch\nNAME="Manjaro Linux"\n'; echo /usr/lib >>root/etc/ld.so.conf
lib ./libalpmx.so.12 '' -nostdlib <<<'int alpm_initialize(void) { return 0; }'
lib root/usr/lib/libalpmx.so.11 '' -nostdlib <<<'int alpm_initialize(void) { return 0; }'
program root/usr/bin/yay alpm_initialize ./libalpmx.so.12; rm libalpmx*; ldconfig -r root
D=root/var/lib/pacman/local/yay-bin-9.4.2-1; mkdir -p $D; printf '%%FILES%%\nusr/\nusr/bin/yay\n' >$D/files
printf '%%NAME%%\nyay-bin\n\n%%BASE%%\nyay-bin\n\n%%VALIDATION%%\nnone\n' >$D/desc
