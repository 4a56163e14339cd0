. "$(dirname "$0")/../tools/lib.sh"
bz='int BZ2_bzDecompress(void) { return 0; }'; lib ./libbz2.so.1.0 '' -nostdlib <<<"$bz"
for r in root atomic; do
  root $r 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=43\n'
  program $r/home/u/vpinball/VPinballX_GL BZ2_bzDecompress ./libbz2.so.1.0 -Wl,-rpath,/home/u/vpinball
  lib $r/usr/lib64/libbz2.so.1.0.8 libbz2.so.1 -nostdlib <<<"$bz"
  ln -s libbz2.so.1.0.8 $r/usr/lib64/libbz2.so.1; ldconfig -r $r
done
mkdir -p atomic/sysroot/ostree/repo; rm libbz2.so.1.0
