. "$(dirname "$0")/../tools/lib.sh"
root root 'ID=linuxmint\nID_LIKE="ubuntu debian"\nVERSION_ID="22.1"\nUBUNTU_CODENAME=noble\n'
P=root/home/cat/.config/obs-studio/plugins
lib ./libobs.so.0 '' -nostdlib <<<'int obs_register(void) { return 0; }'
lib root/usr/lib/x86_64-linux-gnu/libobs.so.30 '' -nostdlib <<<'int obs_register(void) { return 0; }'
program root/usr/bin/obs obs_register root/usr/lib/x86_64-linux-gnu/libobs.so.30
lib $P/blur.so '' -nostdlib ./libobs.so.0 \
  <<<'int obs_register(void); int obs_module_load(void) { return obs_register(); }'
rm libobs.so.0; ldconfig -r root
