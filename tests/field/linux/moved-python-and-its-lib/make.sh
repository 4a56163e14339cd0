. "$(dirname "$0")/../tools/lib.sh"

mkdir -p built/bin built/lib
echo 'int Py_x(void){return 0;}' | lib built/lib/libpyx3.5m.so.1.0
echo 'int Py_x(void); int main(){return Py_x();}' | gcc -o built/bin/python -xc - -x none \
  built/lib/libpyx3.5m.so.1.0 -Wl,-rpath,$PWD/built/lib
mv built moved
