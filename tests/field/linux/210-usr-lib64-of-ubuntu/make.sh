. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 23.04 lunar)"; printf '/usr/local/lib\n/usr/lib/x86_64-linux-gnu\n' >root/etc/ld.so.conf
lib root/usr/lib64/libbpftune.so.0.1.3 '' -nostdlib <<<'int bpftuner_init(void) { return 0; }'
mkdir -p root/usr/sbin; gcc -o root/usr/sbin/bpftune -xc - -x none root/usr/lib64/libbpftune.so.0.1.3 <<<'
int bpftuner_init(void); int main() { return bpftuner_init(); }'
ldconfig -r root
