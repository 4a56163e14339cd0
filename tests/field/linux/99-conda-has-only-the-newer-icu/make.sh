. "$(dirname "$0")/../tools/lib.sh"
mkdir -p env/bin env/lib env/conda-meta; echo 'int ic(void){return 0;}' | lib env/lib/libicuux.so.73
echo 'int ic(void){return 0;}' | lib libicuux.so.58; touch env/conda-meta/history
echo 'int ic(void);int main(){return ic();}' | \
  gcc -o env/bin/Rx -xc - -x none ./libicuux.so.58 -Wl,-rpath,'$ORIGIN/../lib'
rm libicuux.so.58
echo '{"name":"icux","version":"73.2","build":"h0","files":["lib/libicuux.so.73"]}' > env/conda-meta/icux-73.2-h0.json
echo '{"name":"r-basex","version":"3.5.1","build":"h1","depends":["icux >=58.2,<59.0a0"],"files":["bin/Rx"]}' \
  > env/conda-meta/r-basex-3.5.1-h1.json
