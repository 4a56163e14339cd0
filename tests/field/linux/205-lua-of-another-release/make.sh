. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="14.04"\n'; gnu=root/usr/lib/x86_64-linux-gnu
lib $gnu/liblua5.2.so.0 <<<'int lua_gettop(void) { return 0; } int luaL_setfuncs(void) { return 0; }'
host root/usr/bin/lua5.2 -Wl,--no-as-needed $gnu/liblua5.2.so.0 <<<''
mkdir -p root/etc/alternatives; ln -s /usr/bin/lua5.2 root/etc/alternatives/lua-interpreter
ln -s /etc/alternatives/lua-interpreter root/usr/bin/lua
lib root/usr/local/lib/lua/5.1/lfs.so '' <<<'
int lua_gettop(void), luaL_register(void); int luaopen_lfs(void) { return lua_gettop() + luaL_register(); }'
ldconfig -r root
