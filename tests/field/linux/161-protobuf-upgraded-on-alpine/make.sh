. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/{lib,etc} root/usr/{bin,lib}; cp -L /lib/ld-musl-x86_64.so.1 root/lib/
ln -s ld-musl-x86_64.so.1 root/lib/libc.musl-x86_64.so.1
printf 'ID=alpine\nNAME="Alpine Linux"\nVERSION_ID=3.21.0\n' >root/etc/os-release
# RELEASE OF absl, then more options: the function that libprotobuf has, or that the program calls
part() { g++ -fno-exceptions -fPIC -S -o "$1.s" -DABI="$2" -xc++ "${@:3}" - <<'C'
namespace absl { namespace ABI { struct once_flag { int once; }; } }
namespace google { namespace protobuf { namespace internal {
struct Table;
void AssignDescriptors(const Table *(*)(), absl::ABI::once_flag *)
#ifdef LIBRARY
{}
#endif
;
}}}
#ifndef LIBRARY
int main() { google::protobuf::internal::AssignDescriptors(0, 0); }
#endif
C
}
part old lts_20240116 -DLIBRARY; part new lts_20240722 -DLIBRARY; part main lts_20240116; cd root/usr
musl-gcc -shared -o old.so -Wl,-soname,libprotobuf.so.28 ../../old.s
musl-gcc -shared -o lib/libprotobuf.so.28.3.0 -Wl,-soname,libprotobuf.so.28 ../../new.s
ln -s libprotobuf.so.28.3.0 lib/libprotobuf.so.28; musl-gcc -o bin/murmurd ../../main.s old.so; rm old.so ../../*.s
