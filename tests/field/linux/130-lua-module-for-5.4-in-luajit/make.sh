. "$(dirname "$0")/../tools/lib.sh"
mkdir -p usr/bin usr/lib usr/local/lib/lua/5.4
echo 'int lua_newuserdata(void){return 0;} int lua_pushstring(void){return 0;} int luaL_error(void){return 0;}
int lua_settop(void){return 0;}' | lib usr/lib/libluajit-5.1.so.2
echo 'int lua_newuserdatauv(void){return 0;} int lua_pushstring(void){return 0;} int luaL_error(void){return 0;}
int lua_settop(void){return 0;}' | lib usr/lib/liblua5.4.so.0
echo 'int lua_settop(void); int x(void){return lua_settop();}' | \
  host usr/bin/nginx usr/lib/libluajit-5.1.so.2 -Wl,-rpath,'$ORIGIN/../lib'
echo 'int lua_newuserdatauv(void);int lua_pushstring(void);int luaL_error(void);
int c(void){return lua_newuserdatauv()+lua_pushstring()+luaL_error();}' | lib usr/local/lib/lua/5.4/cjson.so
