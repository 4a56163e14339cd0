# sourced by make.sh of each case: T (tools), W (directory of the case), PY (a Python)
here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
T=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
W=${W:-$here/w}
PY=${PYTHON:-python3}
stub() { $PY $T/mkstub.py "$@"; }
prefix() { $PY $T/mkprefix.py "$@"; }
wheel() { # wheel DIR NAME TAG: DIR becomes a wheel NAME-1.0-TAG.whl in W
  mkdir -p "$1/$2-1.0.dist-info"
  printf 'Metadata-Version: 2.1\nName: %s\nVersion: 1.0\n' $2 > "$1/$2-1.0.dist-info/METADATA"
  printf 'Wheel-Version: 1.0\nGenerator: case\nRoot-Is-Purelib: false\nTag: %s\n' $3 > "$1/$2-1.0.dist-info/WHEEL"
  (cd "$1"; { find . -type f ! -name RECORD | sed 's|^./||; s|$|,,|'; echo "$2-1.0.dist-info/RECORD,,"; \
  } > "$2-1.0.dist-info/RECORD"
   rm -f "$W/$2-1.0-$3.whl"; $PY -m zipfile -c "$W/$2-1.0-$3.whl" *)
}
