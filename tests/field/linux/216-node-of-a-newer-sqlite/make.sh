. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/lib/apk/db root/etc root/usr/bin root/usr/lib; cp -L /lib/ld-musl-x86_64.so.1 root/lib/
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.21.2\n' >root/etc/os-release; touch root/.dockerenv
old='int sqlite3_open(void) { return 0; }'; new='int sqlite3session_attach(void) { return 0; }'
musl-gcc -shared -fPIC -o libsqlite3.so.0 -Wl,-soname,libsqlite3.so.0 -xc - <<<"$old $new"
musl-gcc -shared -fPIC -o root/usr/lib/libsqlite3.so.0 -Wl,-soname,libsqlite3.so.0 -xc - <<<"$old"
musl-gcc -o root/usr/bin/node -xc - -x none ./libsqlite3.so.0 <<<'
int sqlite3_open(void), sqlite3session_attach(void); int main() { return sqlite3_open() + sqlite3session_attach(); }'
rm libsqlite3.so.0
