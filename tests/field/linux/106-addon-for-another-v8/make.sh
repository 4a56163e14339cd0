set -e; cd $1; E=app/node_modules/electron/dist A=app/v4l2camera/build/Release; mkdir -p $E $A
gcc -o $E/electron -rdynamic -xc - <<'E'
#include <dlfcn.h>
#include <stdio.h>
int _ZN2v811ArrayBuffer3NewEPNS_7IsolateESt10unique_ptrINS_12BackingStoreESt14default_deleteIS4_EE(void) { return 0; }
int _ZN2v811HandleScopeC1EPNS_7IsolateE(void) { return 0; }
int _ZN4node19AddEnvironmentCleanupHookEPN2v87IsolateEPFvPvES3_(void) { return 0; }
int napi_module_register(void) { return 0; }
int main(int n, char **a) {
  void *h = dlopen(a[1], RTLD_LAZY);
  if (!h) { puts(dlerror()); return 1; }
  return ((int (*)(void))dlsym(h, "node_register_module_v89"))();
}
E
gcc -shared -fPIC -Wl,-z,lazy -o $A/v4l2camera.node -xc - <<'E'
int _ZN2v811ArrayBuffer3NewEPNS_7IsolateESt10shared_ptrINS_12BackingStoreEE(void);
int _ZN2v811HandleScopeC1EPNS_7IsolateE(void);
int node_register_module_v89(void) {
  return _ZN2v811HandleScopeC1EPNS_7IsolateE() +
    _ZN2v811ArrayBuffer3NewEPNS_7IsolateESt10shared_ptrINS_12BackingStoreEE();
}
E
