. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="AlmaLinux"\nID="almalinux"\nID_LIKE="rhel"\nVERSION_ID="9.6"\nPLATFORM_ID="platform:el9"\n'
A=root/opt/myapp; N=$A/resources/app.asar.unpacked/node_modules/@napi-rs/keyring-linux-x64-gnu; mkdir -p $N
echo 'GLIBC_2.2.5 { sin; };' >old.map
echo 'GLIBC_2.2.5 { sin; }; GLIBC_2.38 { l38; } GLIBC_2.2.5;
GLIBC_2.39 { l39; } GLIBC_2.38;' >new.map
lib ./libm.so.6 '' -nostdlib -Wl,--version-script=new.map <<<'
int sin(void) { return 0; } int l38(void) { return 0; } int l39(void) { return 0; }'
lib root/usr/lib64/libm.so.6 '' -nostdlib -Wl,--version-script=old.map <<<'int sin(void) { return 0; }'
lib $N/keyring.linux-x64-gnu.node '' -nostdlib ./libm.so.6 <<<'
int l38(void), l39(void), napi_create_object(void);
int napi_register_module_v1(void) { return l38() + l39() + napi_create_object(); }'
echo '{"name": "@napi-rs/keyring-linux-x64-gnu", "version": "1.1.9"}' >$N/package.json; touch $A/resources/app.asar
host $A/myapp <<<'int napi_create_object(void) { return 0; }'
rm libm.so.6; ldconfig -r root
