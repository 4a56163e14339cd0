. "$(dirname "$0")/../tools/lib.sh"
P=usr/lib/postgresql; mkdir -p $P/1{3,4}/{bin,lib}
echo 'int errstart(void){return 0;} int palloc(void){return 0;} int SPI_connect(void){return 0;}' | \
  host $P/13/bin/postgres
echo 'int errstart(void){return 0;} int errstart_cold(void){return 0;} int palloc(void){return 0;}
int SPI_connect(void){return 0;}' | host $P/14/bin/postgres
echo 'int errstart_cold(void); int palloc(void); int SPI_connect(void);
int h(void){return errstart_cold()+palloc()+SPI_connect();}' | \
  lib $P/13/lib/hypopg.so
