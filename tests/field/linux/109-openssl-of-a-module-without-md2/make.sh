. "$(dirname "$0")/../tools/lib.sh"
mkdir -p usr/bin usr/lib64 eb/OpenSSL/3/lib64; echo 'OPENSSLX_3.0.0 { global: EVP_*; local: *; };' >map
echo 'int EVP_md2x(void){return 0;} int EVP_sha1x(void){return 0;}' |
  lib usr/lib64/libcryptox.so.3 '' -Wl,--version-script,map
echo 'int EVP_sha1x(void){return 0;}' | lib eb/OpenSSL/3/lib64/libcryptox.so.3 '' -Wl,--version-script,map
echo 'int EVP_md2x(void); int ldapx(void){return EVP_md2x();}' |
  lib usr/lib64/libldapx.so.2 '' usr/lib64/libcryptox.so.3 -Wl,-z,now -Wl,-rpath,'$ORIGIN'
echo 'int ldapx(void),EVP_sha1x(void); int main(void){return ldapx()+EVP_sha1x();}' |
  gcc -o usr/bin/curlx -xc - -x none \
  usr/lib64/libldapx.so.2 usr/lib64/libcryptox.so.3 -Wl,-rpath,'$ORIGIN/../lib64'; rm map
