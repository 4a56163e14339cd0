. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=wolfi\nNAME="Wolfi"\nVERSION_ID="20230201"\n'; L=root/usr/lib; mkdir -p $L/apk/db
pq='int PQconnectdb(void) { return 0; } int PQhost(void) { return 0; }'
lib ./libpq.so.5 '' -nostdlib <<<"$pq int PQhostaddr(void) { return 0; }"
echo 'int PQhost(void), PQhostaddr(void);
void _start(void) { asm volatile("syscall" :: "a"(60), "D"(PQhost() + PQhostaddr())); }' |
  gcc -nostdlib -o root/usr/bin/psql -Wl,-z,now -xc - -x none ./libpq.so.5
lib $L/libpq.so.5.11 libpq.so.5 -nostdlib <<<"$pq"; ln -s libpq.so.5.11 $L/libpq.so.5; rm libpq.so.5
printf 'P:libpq-11\nV:11.22-r6\no:postgresql-11\nF:usr/lib\nR:libpq.so.5\nR:libpq.so.5.11\n\n%s' \
  $'P:postgresql-13-client\nV:13.13-r2\no:postgresql-13\nF:usr/bin\nR:psql\n\n' >$L/apk/db/installed
echo /usr/lib >>root/etc/ld.so.conf; ldconfig -r root
