. "$(dirname "$0")/../tools/lib.sh"
root root 'ID="centos"\nID_LIKE="rhel fedora"\nVERSION_ID="7"\n'; G=root/home/shows/gdal/lib
lib $G/libgdal.so.20.1.1 libgdal.so.20 -nostdlib <<<'int g(void){return 0;}'; ln -s libgdal.so.20.1.1 $G/libgdal.so.20
S=root/usr/lib64/R/library/sf
lib $S/libs/sf.so '' -nostdlib $G/libgdal.so.20 <<<'int g(void); int R_init_sf(void){return g();}'
printf 'Package: sf\nVersion: 0.4-1\n' >$S/DESCRIPTION; host root/usr/lib64/R/bin/exec/R </dev/null
lib ./libother.so.1 '' -nostdlib <<<'int o(void){return 0;}'; program root/usr/bin/other o ./libother.so.1
rm libother.so.1; ldconfig -r root
