. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Arch Linux"\nID=arch\n'; A=root/tmp/.mount_OpenHu
lib $A/shared/lib/libxdo.so.3 '' -nostdlib <<<'int xdo_new(void) { return 0; }'
lib root/usr/lib64/libxdo.so.4 '' -nostdlib <<<'int xdo_new(void) { return 0; }'
program $A/bin/OpenHuman xdo_new $A/shared/lib/libxdo.so.3; ldconfig -r root
