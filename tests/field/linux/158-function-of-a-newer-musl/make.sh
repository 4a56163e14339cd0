. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/{lib,etc} root/usr/local/{bin,lib}
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.9.6\n' >root/etc/os-release
# The musl of 3.9 does not have the function yet.
sed 's/copy_file_range/copy_file_rangX/g' /lib/ld-musl-x86_64.so.1 >root/lib/ld-musl-x86_64.so.1
chmod +x root/lib/ld-musl-x86_64.so.1; ln -s ld-musl-x86_64.so.1 root/lib/libc.musl-x86_64.so.1
P=root/usr/local/lib/libpython3.8.so.1.0
musl-gcc -shared -fPIC -o $P -Wl,-soname,libpython3.8.so.1.0 -xc - <<<'
long copy_file_range(int, long *, int, long *, unsigned long, unsigned);
int Py_BytesMain(void) { return copy_file_range(0, 0, 0, 0, 0, 0) != 0; }'
musl-gcc -o root/usr/local/bin/python3.8 -xc - -x none $P \
  <<<'int Py_BytesMain(void); int main() { return Py_BytesMain(); }'
