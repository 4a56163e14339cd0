. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 16.04 xenial)"; S=root/usr/lib/x86_64-linux-gnu
D=root/opt/microsoft/msodbcsql17/lib64/libmsodbcsql-17.3.so.1.1
for each in libcrypto libssl; do
  for to in ./$each.so.1.0.2 $S/$each.so.1.0.0; do lib $to '' -nostdlib <<<"int ${each}_f(void) { return 0; }"; done
done
lib $D libmsodbcsql-17.so -nostdlib ./libcrypto.so.1.0.2 ./libssl.so.1.0.2 \
  <<<'int libcrypto_f(void), libssl_f(void); int SQLConnect(void) { return libcrypto_f() + libssl_f(); }'
host root/usr/bin/sqlcmd </dev/null; rm lib*; ldconfig -r root
