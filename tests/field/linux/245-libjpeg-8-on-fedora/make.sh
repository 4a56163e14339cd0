. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=fedora\nNAME="Fedora Linux"\nVERSION_ID=37\n'
lib root/usr/lib64/libjpeg.so.62 '' -nostdlib <<<'int jpeg(void) { return 0; }'
for l in libjpeg.so.8 libxcb-cursor.so.0; do lib ./$l '' -nostdlib <<<"int ${l:3:3}(void) { return 0; }"; done
program root/opt/gpt4all/bin/chat jpe -Wl,--no-as-needed ./libjpeg.so.8 ./libxcb-cursor.so.0
rm lib*.so*; ldconfig -r root
