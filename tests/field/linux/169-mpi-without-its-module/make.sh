. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=19\n'; M=root/usr/lib64/openmpi/lib
lib $M/libmpi_cxx.so.1 '' -nostdlib <<<'int mpi_cxx(void) { return 0; }'
program root/usr/local/IMP/bin/imp mpi_cxx $M/libmpi_cxx.so.1
ldconfig -r root
