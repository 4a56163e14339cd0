. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 20.04 focal)"; mkdir -p root/etc/OpenCL/vendors root/usr/bin
N=opt/rocm-3.1.0/opencl/lib/x86_64/libamdocl64.so
lib root/opt/rocm-3.10.0/opencl/lib/libamdocl64.so '' -nostdlib <<<'int clx(void) { return 0; }'
echo /$N >root/etc/OpenCL/vendors/amdocl64.icd; ldconfig -r root
echo 'int x(void) { return 0; }' | host root/usr/bin/clinfo
