. "$(dirname "$0")/../tools/lib.sh"

mkdir -p root/opt/tool root/usr/lib64 root/etc root/lib/x86_64-linux-gnu
printf 'NAME="Fedora Linux"\nVERSION_ID=40\nID=fedora\n' >root/etc/os-release
echo 'int c(void){return 0;}' | lib root/usr/lib64/libcryptx.so.2
echo 'int c(void){return 0;}' | lib libcryptx.so.1
echo 'int c(void); int main(){return c();}' | gcc -o root/opt/tool/ruby -xc - -x none libcryptx.so.1
cp -L /lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/libc.so.6 root/usr/lib64/; ln -s usr/lib64 root/lib64
ln -s /usr/lib64/libc.so.6 root/lib/x86_64-linux-gnu/ # where this loader looks
