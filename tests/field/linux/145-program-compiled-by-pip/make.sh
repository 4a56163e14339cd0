. "$(dirname "$0")/../tools/lib.sh"
python3 -m venv --without-pip v; S=$(echo v/lib/python3*/site-packages); I=$S/uWSGI-2.0.20.dist-info; mkdir -p $I sys
lib ./libicux.so.70 <<<'int ic(void){return 0;}'; lib sys/libicux.so.71 <<<'int ic(void){return 0;}'
echo 'int ic(void);int main(){return ic();}' | gcc -o v/bin/uwsgi -xc - -x none ./libicux.so.70; rm libicux*
printf 'Metadata-Version: 2.1\nName: uWSGI\nVersion: 2.0.20\n' >$I/METADATA
printf 'Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n' >$I/WHEEL
printf '../../../bin/uwsgi,,\nuWSGI-2.0.20.dist-info/METADATA,,\n' >$I/RECORD
