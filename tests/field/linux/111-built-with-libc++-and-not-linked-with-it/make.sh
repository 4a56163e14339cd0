. "$(dirname "$0")/../tools/lib.sh"
lib libtdjnix.so <<'E'
extern char d __asm__("_ZNKSt3__119__shared_weak_count13__get_deleterERKSt9type_info");
int w(void) __asm__("_ZNSt3__119__shared_weak_count14__release_weakEv");
void *table[] = {&d};
int td(void) { return w(); }
E
