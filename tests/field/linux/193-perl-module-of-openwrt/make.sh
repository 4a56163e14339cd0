. "$(dirname "$0")/../tools/lib.sh"
M=root/usr/lib/perl5/5.28/auto/DBI; mkdir -p root/{lib,etc,usr/bin} $M
printf 'ID="openwrt"\nID_LIKE="lede openwrt"\nVERSION_ID="23.05.3"\n' >root/etc/os-release
cp /lib/ld-musl-x86_64.so.1 root/lib/; ln -s ld-musl-x86_64.so.1 root/lib/libc.so
musl-gcc -shared -fPIC -o root/usr/lib/libperl.so -Wl,-soname,libperl.so -xc - \
  <<<'int Perl_croak(void){return 0;} int perl_run(void){return 0;}'
musl-gcc -o root/usr/bin/perl -rdynamic -xc - -x none root/usr/lib/libperl.so <<'C'
#include <dlfcn.h>
#include <stdio.h>
int perl_run(void);
int main(int n, char **v) { return dlopen(v[1], RTLD_NOW) ? perl_run() : (puts(dlerror()), 1); }
C
musl-gcc -shared -fPIC -o $M/DBI.so -xc - \
  <<<'int Perl_croak_nocontext(void), Perl_croak(void); int boot(void){return Perl_croak_nocontext()+Perl_croak();}'
