#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
py h5py/__init__.py <<<'from . import version'
py h5py/version.py <<<'from . import h5'
lib new/libhdf5.so.103 <<<'int H5open(void) { return 0; } int H5Pset_fapl_ros3(void) { return 0; }'
lib v/lib/libhdf5.so.103 <<<'int H5open(void) { return 0; }'
ext "$S/h5py/defs.abi3.so" -Wl,--no-as-needed new/libhdf5.so.103 -Wl,-rpath,'$ORIGIN/../../../' -Wl,-z,now \
  <<<'int H5open(void), H5Pset_fapl_ros3(void); int use(void) { return H5open() + H5Pset_fapl_ros3(); }'
py h5py/h5.py <<<'from . import defs'
dist h5py 3.2.1 cp39-cp39-linux_x86_64 h5py; rm -r new
