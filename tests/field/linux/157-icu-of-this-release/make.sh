. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 20.04 focal)"
for l in libicuuc.so.66 libssl.so.3; do lib ./$l '' -nostdlib <<<"int f_${l:3:3}(void){return 0;}"; done
program root/opt/fmu/rabbitmq f_icu -Wl,--no-as-needed ./libicuuc.so.66 ./libssl.so.3; rm *.so*; ldconfig -r root
