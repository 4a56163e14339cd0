. "$(dirname "$0")/../tools/lib.sh"
mkdir -p env/bin env/lib env/conda-meta; echo >env/conda-meta/history
for n in 5 6; do echo 'int h264(void){return 0;}' | lib $n.so libopenh264.so.$n -nostdlib; done
program env/bin/ffmpeg h264 ./5.so -Wl,-rpath,'$ORIGIN/../lib' -Wl,--dynamic-linker,/lib64/ld-linux-x86-64.so.2
cp 6.so env/lib/libopenh264.so.2.3.1; ln -s libopenh264.so.2.3.1 env/lib/libopenh264.so.6; rm *.so
printf '{"name": "openh264", "version": "2.3.1", "channel": "conda-forge",
"files": ["lib/libopenh264.so.6", "lib/libopenh264.so.2.3.1"]}' >env/conda-meta/openh264-2.3.1-0.json
printf '{"name": "ffmpeg", "version": "4.3", "channel": "pytorch", "files": ["bin/ffmpeg"]}' \
  >env/conda-meta/ffmpeg-4.3-0.json
