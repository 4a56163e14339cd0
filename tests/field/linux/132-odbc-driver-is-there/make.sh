. "$(dirname "$0")/../tools/lib.sh"
mkdir -p root/opt/microsoft/msodbcsql17/lib64 root/usr/lib64 root/etc; ln -s usr/lib64 root/lib64
printf 'NAME="CentOS Stream"\nVERSION_ID=9\nID="centos"\nID_LIKE="rhel fedora"\n' >root/etc/os-release
cp -L /lib64/ld-linux-x86-64.so.2 /lib/x86_64-linux-gnu/libc.so.6 root/usr/lib64/
echo 'int oi(void){return 0;}' | lib libodbcinst.so.2
echo 'int oi(void);int c(void){return oi();}' | \
  lib root/opt/microsoft/msodbcsql17/lib64/libmsodbcsql-17.7.so.1.1 libmsodbcsql-17.so libodbcinst.so.2
rm libodbcinst.so.2
