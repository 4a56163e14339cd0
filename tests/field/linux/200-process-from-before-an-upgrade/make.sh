. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Red Hat Enterprise Linux"\nID=rhel\nVERSION_ID=8.10\n'; S=root/usr/lib64
f=_Z19run_remove_subgraphRSt10shared_ptrI14resource_ctx_tERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE
lib $S/libsched-fluxion-resource-module.so '' -nostdlib <<<"int $f(void) { return 0; }"
lib $S/flux/modules/sched-fluxion-resource.so '' -nostdlib $S/libsched-fluxion-resource-module.so \
  <<<"int $f(void); int mod_main(void) { return $f(); }"
host root/usr/libexec/flux/flux-broker <<<''; ldconfig -r root
