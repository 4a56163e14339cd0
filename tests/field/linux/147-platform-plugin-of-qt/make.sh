. "$(dirname "$0")/../tools/lib.sh"
python3 -m venv --without-pip v; S=$(echo v/lib/python3*/site-packages); Q=$S/PySide2/Qt
lib $Q/lib/libQt5Gui.so.5 <<<'int qg(void){return 0;}'; for n in a b
do lib ./libxcb-none$n.so.0 <<<"int x$n(void){return 0;}"; done
lib $Q/plugins/platforms/libqxcb.so '' -Wl,--no-as-needed $Q/lib/libQt5Gui.so.5 ./libxcb-none{a,b}.so.0 \
  -Wl,-rpath,'$ORIGIN/../../lib' <<<'int q;'
ext $S/PySide2/QtWidgets.abi3.so $Q/lib/libQt5Gui.so.5 -Wl,-rpath,'$ORIGIN/Qt/lib' \
  <<<'int qg(void);int a(void){return qg();}'
touch $S/PySide2/__init__.py; rm libxcb*
