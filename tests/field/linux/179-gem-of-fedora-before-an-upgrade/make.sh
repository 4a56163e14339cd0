. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=42\n'; ruby='int rb(void) { return 0; }'
lib ./libruby.so.3.3 '' -nostdlib <<<"$ruby"; lib root/usr/lib64/libruby.so.3.4.4 libruby.so.3.4 -nostdlib <<<"$ruby"
ln -s libruby.so.3.4.4 root/usr/lib64/libruby.so.3.4
lib root/usr/local/lib64/gems/ruby/clocale-0.0.4/clocale/clocale.so '' -nostdlib ./libruby.so.3.3 \
  <<<'int rb(void); int Init_clocale(void) { return rb(); }'
host root/usr/bin/ruby </dev/null; rm libruby.so.3.3; ldconfig -r root
