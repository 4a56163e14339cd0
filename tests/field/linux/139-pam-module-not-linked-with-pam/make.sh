set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE [OPTION...]: a program that opens the libraries it is given, and has the functions on stdin
host() { { cat; echo '#include <dlfcn.h>
#include <stdio.h>
int main(int n,char**v){for(int i=1;i<n;i++)if(!dlopen(v[i],RTLD_NOW)){puts(dlerror());return 1;}return 0;}'; } | \
  gcc -rdynamic -o "$1" -xc - -x none "${@:2}"; }
mkdir -p usr/bin lib/x86_64-linux-gnu/security
echo 'int pam_get_user(void){return 0;} int pam_putenv(void){return 0;}' | lib lib/x86_64-linux-gnu/libpam.so.0
echo 'int pam_get_user(void); int pam_putenv(void);
int pam_sm_open_session(void){return \
  pam_get_user()+pam_putenv();}' | lib lib/x86_64-linux-gnu/security/pam_jail_shell.so
echo | host usr/bin/teleport
