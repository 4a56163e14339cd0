. "$(dirname "$0")/../tools/lib.sh"
mkdir -p home/.cargo/bin home/.rustup/toolchains/nightly-x86_64-unknown-linux-gnu/lib
L=home/.rustup/toolchains/nightly-x86_64-unknown-linux-gnu/lib/librustc_driver-8102e29f00c0ffee.so
echo 'int drv(void){return 0;}' | lib $L
echo 'int drv(void);int main(){return drv();}' | gcc -o home/.cargo/bin/cargo-clippy -xc - -x none $L
