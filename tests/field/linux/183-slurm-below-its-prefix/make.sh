. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Rocky Linux"\nID="rocky"\nID_LIKE="rhel centos fedora"\nVERSION_ID="9.1"\n'
S=root/opt/slurm/lib/slurm/libslurm_pmi.so; O=/apps/gcc-12.2.0/openmpi-4.1.6-abcdefgh
lib $S '' -nostdlib <<<'int p(void) { return 0; }'
lib root$O/lib/libopen-pal.so.40 '' -nostdlib $S <<<'int p(void); int o(void) { return p(); }'
program root$O/bin/opal_wrapper o root$O/lib/libopen-pal.so.40 -Wl,-rpath,$O/lib \
  -Wl,--unresolved-symbols=ignore-in-shared-libs; ln -s opal_wrapper root$O/bin/mpicc; ldconfig -r root
