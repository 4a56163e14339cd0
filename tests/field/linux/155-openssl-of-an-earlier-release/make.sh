. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="almalinux"\nID_LIKE="rhel centos fedora"\nVERSION_ID="10.0"\nPLATFORM_ID="platform:el10"\n'
echo 'V_3.0 {global: EVP_free; local: *;}; V_3.4 {global: EVP_key;} V_3.0;' >older.map
echo 'V_3.0 {global: EVP_free; local: *;}; V_3.4 {global: EVP_key; EVP_size_ex;} V_3.0;' >newer.map
C='int EVP_free(void){return 0;}int EVP_key(void){return 0;}int EVP_size_ex(void){return 0;}'
lib ./libcrypto.so.3 '' -nostdlib -Wl,--version-script,newer.map <<<"$C"
S=root/usr/lib64/systemd/libsystemd-shared-257.so
lib $S '' -nostdlib -Wl,-z,now ./libcrypto.so.3 <<<'int EVP_free(void),EVP_key(void),EVP_size_ex(void);
int sd(void){return EVP_free()+EVP_key()+EVP_size_ex();}'
program root/usr/bin/systemctl sd $S -Wl,-rpath,/usr/lib64/systemd -Wl,--allow-shlib-undefined
lib root/usr/lib64/libcrypto.so.3 '' -nostdlib -Wl,--version-script,older.map <<<"$C"; rm *.map *.so*; ldconfig -r root
