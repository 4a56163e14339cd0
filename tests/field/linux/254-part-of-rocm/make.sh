. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="12"\nNAME="Debian GNU/Linux"\n'; O=root/opt/rocm/opencl/lib/x86_64
mkdir -p root/usr/bin
lib ./libhsa-runtime64.so.1 '' -nostdlib <<<'int hsa_init(void) { return 0; }'
lib $O/libamdocl64.so '' -nostdlib ./libhsa-runtime64.so.1 <<<'int hsa_init(void); int clx(void) { return hsa_init(); }'
rm libhsa*; ldconfig -r root; echo 'int x(void) { return 0; }' | host root/usr/bin/clinfo
