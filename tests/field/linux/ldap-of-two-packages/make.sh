set -e; cd $1
# FILE [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"$(basename "$1")" -xc - -x none "${@:2}"; }
mkdir eckit psycopg
echo \
  'struct c {int a;}; static struct c x={1}; void*ldap_init(void){return &x;}' \
  'int ldap_ok(void*p){return ((struct c*)p)->a==1;}' \
  | lib eckit/libldap-0a0a0a0a.so.2
echo \
  'struct c {int a,b;}; static struct c x={7,7}; void*ldap_init(void){return &x;}' \
  'int ldap_ok(void*p){return ((struct c*)p)->a==7;} int ldap_new(void*p){return ((struct c*)p)->b==7;}' \
  | lib psycopg/libldap-0b0b0b0b.so.2
echo 'void*ldap_init(void); int ldap_new(void*); int run(void){return ldap_new(ldap_init())?0:9;}' | lib \
  psycopg/_psycopg.so psycopg/libldap-0b0b0b0b.so.2 -Wl,-rpath,'$ORIGIN'
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void){if(!dlopen("eckit/libldap-0a0a0a0a.so.2",RTLD_NOW|MODE))return 2;
void*h=dlopen("psycopg/_psycopg.so",RTLD_NOW);if(!h){puts(dlerror());return 1;}return ((int(*)(void))dlsym(h,"run"))();}
C
gcc -DMODE=RTLD_GLOBAL -o host host.c; gcc -DMODE=RTLD_LOCAL -o host_local host.c
