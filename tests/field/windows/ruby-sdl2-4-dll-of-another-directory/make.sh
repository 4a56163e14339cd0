#!/bin/bash
set -e; W=${1:-$W}; . "$(dirname "$0")/../tools/lib.sh"; mkdir -p $W; cd $W
for d in kernel32 ntdll; do stub C/Windows/System32/$d.dll --exports Sleep,ExitProcess; done
stub C/Ruby23-x64/bin/ruby.exe --exe --imports x64-msvcrt-ruby230.dll:ruby_init KERNEL32.dll:ExitProcess
stub C/Ruby23-x64/bin/x64-msvcrt-ruby230.dll --exports ruby_init,rb_define --imports KERNEL32.dll:Sleep
stub C/Ruby23-x64/lib/ruby/gems/2.3.0/gems/ruby-sdl2-0.3.0/lib/sdl2_ext.so --exports Init_sdl2_ext \
  --imports x64-msvcrt-ruby230.dll:rb_define SDL2.dll:SDL_Init KERNEL32.dll:Sleep
stub C/SDL2-2.0.4/x86_64-w64-mingw32/bin/SDL2.dll --exports SDL_Init --imports KERNEL32.dll:Sleep
