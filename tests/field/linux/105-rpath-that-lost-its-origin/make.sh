. "$(dirname "$0")/../tools/lib.sh"
mkdir -p ff/bin ff/lib
echo 'int avx(void){return 0;}' | lib ff/lib/libavx.so.61
echo 'int avx(void); int main(void){return avx();}' | gcc -o ff/bin/ffmpegx -xc - -x none ff/lib/libavx.so.61
patchelf --force-rpath --set-rpath -Wl:../lib ff/bin/ffmpegx
