. "$(dirname "$0")/../tools/lib.sh"

mkdir -p root/opt; cp -a $ROOTS/bullseye/{lib*,usr,etc} root/ 2>/dev/null || true
echo '.section .note.ABI-tag,"a",@note
.balign 4
.long 4,16,1
.asciz "GNU"
.long 0,99,17,0' | gcc -c -xassembler - -o note.o
echo 'int qv(void){return 0;}' | lib root/usr/lib/x86_64-linux-gnu/libQt5Corex.so.5 libQt5Corex.so.5 note.o
program root/opt/qb qv root/usr/lib/x86_64-linux-gnu/libQt5Corex.so.5
