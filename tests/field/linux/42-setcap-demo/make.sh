# libcsp#783: a demo program whose RPATH is $ORIGIN/ starts until the build gives it cap_net_raw.
set -e; cd $1; mkdir -p builddir; cd builddir
echo 'int lib(void){return 0;}' | gcc -shared -fPIC -o libmylib.so -Wl,-soname,libmylib.so -xc -
echo 'int lib(void); int main(void){return lib();}' | gcc -o demo -xc - -x none -L. -lmylib -Wl,-rpath,'$ORIGIN/'
setcap cap_net_raw+ep demo
