#!/bin/bash
. "$(dirname "$0")/../tools/lib.sh"
venv
meta() {
  mkdir -p v/conda-meta
  local name=$1 version=$2 build=$3; shift 3
  python3 - "$name" "$version" "$build" "$@" >"v/conda-meta/$name-$version-$build.json" <<'E'
import json, sys
name, version, build, *files = sys.argv[1:]
print(json.dumps({"name": name, "version": version, "build": build, "files": files, "depends": []}))
E
}
lib libmkl_intel_lp64.so.1 <<<'int mkl_blas_dgemm(void) { return 0; }'
lib v/lib/libmkl_intel_lp64.so.2 <<<'int mkl_blas_dgemm(void) { return 0; }'
meta mkl 2023.1.0 h213fc3f_46344 lib/libmkl_intel_lp64.so.2
ext "$S/faiss/_swigfaiss.so" -Wl,--no-as-needed ./libmkl_intel_lp64.so.1 -Wl,-rpath,'$ORIGIN/../../..' </dev/null
rm libmkl_intel_lp64.so.1
py faiss/__init__.py <<<'from .loader import *'
py faiss/loader.py <<'E'
import logging
logger = logging.getLogger(__name__)
loaded = False
try:
    logger.info("Loading faiss with AVX2 support.")
    from .swigfaiss_avx2 import *
    logger.info("Successfully loaded faiss with AVX2 support.")
    loaded = True
except ImportError as e:
    logger.info(f"Could not load library with AVX2 support due to:\n{e!r}")
    loaded = False
if not loaded:
    logger.info("Loading faiss.")
    from .swigfaiss import *
    logger.info("Successfully loaded faiss.")
E
py faiss/swigfaiss.py <<'E'
if __package__ or "." in __name__:
    from . import _swigfaiss
else:
    import _swigfaiss
E
site=${S#"$PWD/v/"}
meta faiss-gpu 1.7.4 py3.10_hc0239a3_0_cuda11.4 "$site/faiss/__init__.py" "$site/faiss/loader.py" \
  "$site/faiss/swigfaiss.py" "$site/faiss/_swigfaiss.so"
