. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 21.3 jammy)"
