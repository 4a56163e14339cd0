. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 18.04 bionic)"; A=root/snap/keepassxc/348; mkdir -p $A/{meta,usr/bin} root/snap/core18/2/lib
printf 'name: keepassxc\nversion: 2.4.2\nbase: core18\n' >$A/meta/snap.yaml; ln -s 2 root/snap/core18/current
lib ./libqrencode.so.3 '' -nostdlib <<<'int QRcode_encodeString(void) { return 0; }'
program $A/usr/bin/keepassxc QRcode_encodeString ./libqrencode.so.3; rm libqrencode*; ldconfig -r root
