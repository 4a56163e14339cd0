#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv 3.11
mkdir -p v/conda-meta v/lib stubs
meta() {
  printf '{"name":"%s","version":"%s","build":"h0_0","build_number":0,"depends":[%s],"files":["%s"]}' \
    "$1" "$2" "$3" "$4" >"v/conda-meta/$1-$2-h0_0.json"
}
lib stubs/libsnappy.so.1 <<<'void _ZN6snappy11RawCompressEPKcmPcPm(void) {}'
lib v/lib/libsnappy.so.1 <<<'void _ZN6snappy11RawCompressEPKcmPcPmNS_18CompressionOptionsE(void) {}'
lib v/lib/liborc.so stubs/libsnappy.so.1 -Wl,-z,now -Wl,-rpath,'$ORIGIN' <<'E'
void _ZN6snappy11RawCompressEPKcmPcPm(void);
void u(void) { _ZN6snappy11RawCompressEPKcmPcPm(); }
E
py pyarrow/__init__.py <<<'import pyarrow.lib as _lib'
ext "$S/pyarrow/lib.cpython-311-x86_64-linux-gnu.so" -Wl,--no-as-needed v/lib/liborc.so -Wl,-rpath,'$ORIGIN/../../../' \
  </dev/null
rm -r stubs
meta orc 1.9.2 '"snappy >=1.1.10,<2.0a0"' lib/liborc.so
meta snappy 1.2.0 '' lib/libsnappy.so.1
meta pyarrow 15.0.0 '"orc >=1.9.2,<1.9.3.0a0"' lib/python3.11/site-packages/pyarrow/__init__.py
