set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() { gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
lib libtdjnix.so <<'E'
extern char d __asm__("_ZNKSt3__119__shared_weak_count13__get_deleterERKSt9type_info");
int w(void) __asm__("_ZNSt3__119__shared_weak_count14__release_weakEv");
void *table[] = {&d};
int td(void) { return w(); }
E
