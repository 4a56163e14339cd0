. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="SLES"\nID="sles"\nID_LIKE="suse"\nVERSION_ID="12.5"\n'
package=root/srv/app/node_modules/sqlite3; add_on=$package/lib/binding/napi-v6-linux-glibc-x64/node_sqlite3.node
echo 'GLIBC_2.2.5 { sin; };' >old.map; echo 'GLIBC_2.2.5 { sin; }; GLIBC_2.29 { log2; } GLIBC_2.2.5;' >new.map
lib ./libm.so.6 '' -nostdlib -Wl,--version-script=new.map <<<'int sin(void) { return 0; } int log2(void) { return 0; }'
lib root/usr/lib64/libm.so.6 '' -nostdlib -Wl,--version-script=old.map <<<'int sin(void) { return 0; }'
lib $add_on '' -nostdlib ./libm.so.6 <<<'
int log2(void), napi_create_object(void); int napi_register_module_v1(void) { return log2() + napi_create_object(); }'
echo '{"name": "sqlite3", "version": "5.1.5"}' >$package/package.json; touch $package/binding.gyp
host root/usr/bin/node <<<'int napi_create_object(void) { return 0; }'
rm libm.so.6; ldconfig -r root
