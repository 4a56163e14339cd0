. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="openSUSE Tumbleweed"\nID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n'
L=root/usr/lib64/darktable/libdarktable.so; lib $L '' -nostdlib <<<'int dt(void) { return 0; }'
program root/usr/bin/darktable dt $L; ldconfig -r root
