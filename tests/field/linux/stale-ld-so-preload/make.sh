. "$(dirname "$0")/../tools/lib.sh"

mkdir -p root/bin root/usr/lib64 root/etc
echo 'int main(){return 0;}' | gcc -o root/bin/app -xc -
cp -L /lib64/ld-linux-x86-64.so.2 root/usr/lib64/; ln -s usr/lib64 root/lib64
mkdir -p root/lib/x86_64-linux-gnu; cp -L /lib/x86_64-linux-gnu/libc.so.6 root/lib/x86_64-linux-gnu/
echo /usr/lib/libarmmemx.so >root/etc/ld.so.preload
