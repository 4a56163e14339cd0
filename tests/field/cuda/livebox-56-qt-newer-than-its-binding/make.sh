#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
lib "$S/PyQt6/Qt6/lib/libQt6Core.so.6" \
  <<<'void _ZN14QReadWriteLock4lockEv(void) {} void _ZN14QReadWriteLock6unlockEv(void) {}'
py PyQt6/__init__.py </dev/null
stub libQt6Core.so.6
ext "$S/PyQt6/QtCore.abi3.so" -Wl,-z,now -Wl,--no-as-needed stubs/libQt6Core.so.6 -Wl,-rpath,'$ORIGIN/Qt6/lib' <<'E'
void _ZN14QReadWriteLock16destroyRecursiveEP21QReadWriteLockPrivate(void);
void u(void) { _ZN14QReadWriteLock16destroyRecursiveEP21QReadWriteLockPrivate(); }
E
rm -r stubs
dist PyQt6 6.6.0 cp38-abi3-manylinux_2_28_x86_64 PyQt6/__init__.py PyQt6/QtCore.abi3.so -- \
  'Requires-Dist: PyQt6-Qt6 (>=6.6.0)'
dist PyQt6-Qt6 6.6.1 py3-none-manylinux_2_28_x86_64 PyQt6/Qt6
