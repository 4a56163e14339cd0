. "$(dirname "$0")/../tools/lib.sh"
root root 'NAME="Fedora Linux"\nID=fedora\nVERSION_ID=38\n'; J=root/usr/lib/jvm/java-17-openjdk-17.0.8.0.7-1.fc38.x86_64
for n in java awt awt_headless; do lib $J/lib/lib$n.so <<<"int $n(void) { return 0; }"; done
host $J/bin/java -ldl </dev/null; ldconfig -r root
