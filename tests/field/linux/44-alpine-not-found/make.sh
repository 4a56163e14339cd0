# docker-alpine#78, localsend-cli#2, deno#31143: a program for glibc on Alpine: "sh: ./foo: not found", although it is
# there.
set -e; cd $1; mkdir -p root/lib root/etc root/app root/proc; cp -L /lib/ld-musl-x86_64.so.1 root/lib/
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.20\n' >root/etc/os-release
echo 'int main(void){return 0;}' >m.c; gcc -o root/app/foo m.c; musl-gcc -o root/app/bar m.c
