. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 18.04 bionic)"; touch root/.dockerenv
lib ./libidn.so.11 '' -nostdlib <<<'int idn(void) { return 0; }'
program root/opt/blast/bin/blastn idn ./libidn.so.11; rm libidn*; ldconfig -r root
