. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=arch\n'; echo /usr/lib >>root/etc/ld.so.conf; D=root/var/lib/pacman/local/dwarfs-0.10-1; mkdir -p $D
for l in chrono process; do
  lib ./libboost_$l.so.1.86.0 '' -nostdlib <<<"int $l(void) { return 0; }"
  lib root/usr/lib/libboost_$l.so.1.87.0 '' -nostdlib <<<"int $l(void) { return 0; }"
done
program root/usr/bin/mkdwarfs chrono -Wl,--no-as-needed ./libboost_*; rm libboost*; ldconfig -r root
printf '%%FILES%%\nusr/\nusr/bin/mkdwarfs\n' >$D/files
printf '%%NAME%%\ndwarfs\n\n%%BASE%%\ndwarfs\n\n%%VALIDATION%%\nnone\n' >$D/desc
