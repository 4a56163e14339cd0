. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 22.04 jammy)"
lib ./libboost_program_options.so.1.71.0 '' -nostdlib <<<"int f(void){return 0;}"
program root/usr/bin/scrtdd f ./libboost_program_options.so.1.71.0; rm *.so*; ldconfig -r root
