set -e; cd $1
# FILE [SONAME] [OPTION...]: C on stdin
lib() {
  mkdir -p "$(dirname "$1")"
  gcc -shared -fPIC -o "$1" -Wl,-soname,"${2:-$(basename "$1")}" -xc - -x none "${@:3}"; }
# FILE [OPTION...]: an extension module that has no names; C on stdin is compiled with it
ext() {
  local name; name=$(basename "$1"); name=${name%%.*}; mkdir -p "$(dirname "$1")"
  { cat; printf '%s\n' "static struct { long refs; void *type, *init; long index; void *copy;" \
    "const char *name, *doc; long size;" \
    "void *methods, *slots, *traverse, *clear, *release; } definition = {1, 0, 0, 0, 0, \"$name\", 0, -1};" \
    "void *PyModule_Create2(void *, int); void *PyInit_$name(void) { return PyModule_Create2(&definition, 1013); }"
} |
    gcc -shared -fPIC -o "$1" -xc - -x none "${@:2}"
}
python3 -m venv --without-pip v; S=$(echo v/lib/python3*/site-packages); Q=$S/PySide2/Qt
lib $Q/lib/libQt5Gui.so.5 <<<'int qg(void){return 0;}'; for n in a b
do lib ./libxcb-none$n.so.0 <<<"int x$n(void){return 0;}"; done
lib $Q/plugins/platforms/libqxcb.so '' -Wl,--no-as-needed $Q/lib/libQt5Gui.so.5 ./libxcb-none{a,b}.so.0 \
  -Wl,-rpath,'$ORIGIN/../../lib' <<<'int q;'
ext $S/PySide2/QtWidgets.abi3.so $Q/lib/libQt5Gui.so.5 -Wl,-rpath,'$ORIGIN/Qt/lib' \
  <<<'int qg(void);int a(void){return qg();}'
touch $S/PySide2/__init__.py; rm libxcb*
