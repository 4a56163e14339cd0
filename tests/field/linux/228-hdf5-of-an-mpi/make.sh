. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="7"\n'
lib root/usr/lib64/openmpi/lib/libhdf5.so.6 '' -nostdlib <<<'int h5(void) { return 0; }'
lib root/usr/lib64/R/library/ncdf4/libs/ncdf4.so '' -nostdlib root/usr/lib64/openmpi/lib/libhdf5.so.6 \
  <<<'int h5(void); int f(void) { return h5(); }'; ldconfig -r root
