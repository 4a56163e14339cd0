. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=debian\nVERSION_ID="12"\n'; touch root/.dockerenv; host root/usr/bin/dotnet </dev/null
lib ./libtesseract.so.4 '' -nostdlib <<<'int s(void) { return 0; }'
lib root/app/runtimes/linux-x64/native/libOpenCvSharpExtern.so '' -nostdlib ./libtesseract.so.4 \
  <<<'int s(void); int core(void) { return s(); }'; rm libtesseract.so.4; ldconfig -r root
