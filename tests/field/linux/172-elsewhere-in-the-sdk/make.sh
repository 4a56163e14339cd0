. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 18.04 bionic)"; D=root/home/u/alpr-sdk
lib $D/binaries/linux/x86_64/libalprx-sdk.so '' -nostdlib <<<'int alpr(void) { return 0; }'
program $D/samples/c++/recognizer/recognizer alpr $D/binaries/linux/x86_64/libalprx-sdk.so; ldconfig -r root
