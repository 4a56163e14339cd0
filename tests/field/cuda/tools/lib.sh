# Sourced by make.sh: environments in the directory $1 that look as an installer leaves them.
set -e; mkdir -p "$1"; cd "$1"

# venv [VERSION]: v, an environment without pip, of that Python; $S is its site-packages
venv() {
  local python
  python=$(ls -d ~/.pyenv/versions/${1:-none}.*/bin/python3 2>/dev/null | tail -1)
  python=${python:-$(command -v python${1:-3})}
  "$python" -m venv --without-pip v
  S=$(echo "$PWD"/v/lib/python3*/site-packages)
}
# py FILE: stdin as a source below site-packages
py() { mkdir -p "$(dirname "$S/$1")"; cat >"$S/$1"; }
# dist NAME VERSION TAG PATH... [-- METADATA LINE...]: its dist-info with a RECORD of these files and directories
dist() {
  local name=$1 version=$2 tag=$3 info; shift 3
  info="$S/${name//-/_}-$version.dist-info"; mkdir -p "$info"
  local paths=(); while [ $# -gt 0 ] && [ "$1" != -- ]; do paths+=("$1"); shift; done; [ $# -eq 0 ] || shift
  printf 'Metadata-Version: 2.1\nName: %s\nVersion: %s\n' "$name" "$version" >"$info/METADATA"
  [ $# -eq 0 ] || printf '%s\n' "$@" >>"$info/METADATA"
  printf 'Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: %s\n' "$tag" >"$info/WHEEL"; echo pip >"$info/INSTALLER"
  (cd "$S"; find "${paths[@]}" "$(basename "$info")" -type f ! -name RECORD ! -name '*.pyc' | while read -r file; do
    echo "$file,sha256=$(sha256sum "$file" | cut -c-64 | xxd -r -p | base64 | tr +/ -_ | tr -d =),$(stat -c %s "$file")"
  done; echo "$(basename "$info")/RECORD,,") >"$info/RECORD"
}
# lib FILE [OPTION...]: C on stdin
lib() { mkdir -p "$(dirname "$1")"; gcc -shared -fPIC -o "$1" -Wl,-soname,"$(basename "$1")" -xc - -x none "${@:2}"; }
# ext FILE [OPTION...]: an extension module that has no names; C on stdin is compiled with it
ext() {
  local name; name=$(basename "$1"); name=${name%%.*}; mkdir -p "$(dirname "$1")"
  { cat; printf '%s\n' "static struct { long refs; void *type, *init; long index; void *copy;" \
    "const char *name, *doc; long size;" \
    "void *methods, *slots, *traverse, *clear, *release; } definition = {1, 0, 0, 0, 0, \"$name\", 0, -1};" \
    "void *PyModule_Create2(void *, int); void *PyInit_$name(void) { return PyModule_Create2(&definition, 1013); }"; } |
    gcc -shared -fPIC -o "$1" -xc - -x none "${@:2}"
}
