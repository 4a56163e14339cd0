. "$(dirname "$0")/../tools/lib.sh"
mkdir -p home/.pyenv/versions/3.9.16/lib target/debug
echo 'int pyx(void){return 0;}' | lib home/.pyenv/versions/3.9.16/lib/libpythonx3.9.so.1.0
echo 'int pyx(void);int main(){return pyx();}' | \
  gcc -o target/debug/noos -xc - -x none home/.pyenv/versions/3.9.16/lib/libpythonx3.9.so.1.0
