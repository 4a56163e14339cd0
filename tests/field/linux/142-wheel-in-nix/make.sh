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
