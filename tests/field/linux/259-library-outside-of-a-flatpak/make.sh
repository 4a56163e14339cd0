. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 24.04 noble)"; P=org.freedesktop.Platform/x86_64/24.08; F=root/var/lib/flatpak
A=$F/app/io.appflowy.AppFlowy/x86_64/stable/active; R=$F/runtime/$P/active/files/lib/x86_64-linux-gnu
mkdir -p $A/files/bin; printf '[Application]\nname=io.appflowy.AppFlowy\nruntime=%s\n' $P >$A/metadata
lib $R/libbz2.so.1 '' -nostdlib <<<'int BZ2(void) { return 0; }'
lib root/usr/lib/x86_64-linux-gnu/libbz2.so.1.0 '' -nostdlib <<<'int BZ2(void) { return 0; }'
program $A/files/bin/AppFlowy BZ2 root/usr/lib/x86_64-linux-gnu/libbz2.so.1.0; ldconfig -r root
# As Flatpak has it: the runtime is /usr, and the program /app.
mkdir -p sandbox/usr/lib64; cp -r $F/runtime/$P/active/files/lib sandbox/usr; cp -r $A/files sandbox/app
ln -s usr/lib64 sandbox/lib64; cp -L /lib64/ld-linux-x86-64.so.2 sandbox/usr/lib64
