. "$(dirname "$0")/../tools/lib.sh"
N=nix/store/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-glibc-2.40-66/lib
G=$(echo $N | sed s/a.*2.40-66/cccccccccccccccccccccccccccccccc-gcc-14.2.1-lib/)
P=nix/store/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-python3-3.12.9; V=root/home/t/v; S=$V/lib/python3.12/site-packages/numpyx
mkdir -p root/$N root/$P/bin root/$P/lib root/etc $V/bin $S
printf 'NAME=NixOS\nID=nixos\nVERSION_ID="25.05"\n' >root/etc/os-release
cp -L /lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/lib{c,m}.so.6 root/$N
lib root/$G/libstdcx.so.6 <<<'int cx(void){return 0;}'
cp -a $(ls -d ~/.pyenv/versions/3.12.*/lib/python3.12 | tail -1) root/$P/lib/; rm -rf \
  root/$P/lib/python3.12/{test,site-packages/*}
echo 'void PyModule_Create2(){} int main(){return 0;}' | gcc -rdynamic -o root/$P/bin/python3.12 -xc - \
  -Wl,-rpath,/$N \
  -Wl,--dynamic-linker,/$N/ld-linux-x86-64.so.2; ln -s python3.12 $V/bin/python
ln -s /$P/bin/python3.12 $V/bin/python3.12
printf 'home = /%s/bin\ninclude-system-site-packages = false\nversion = 3.12.9\n' $P >$V/pyvenv.cfg
ext $S/_m.cpython-312-x86_64-linux-gnu.so root/$G/libstdcx.so.6 <<<'int cx(void);int y(void){return cx();}'
echo 'from . import _m' >$S/__init__.py
