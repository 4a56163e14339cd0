. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="amzn"\nID_LIKE="centos rhel fedora"\nVERSION_ID="2"\n'; B=root/var/task/bin/postgres-9.6.2
mkdir -p root/var/runtime; lib ./libldap_r-2.4.so.2 '' -nostdlib <<<'int l(void){return 0;}'
lib $B/libpq.so.5 '' -nostdlib ./libldap_r-2.4.so.2 <<<'int l(void);int pq(void){return l();}'
program $B/pg_dump pq $B/libpq.so.5 -Wl,-rpath-link,.; rm libldap*; ldconfig -r root
