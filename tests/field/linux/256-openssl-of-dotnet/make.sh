. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 22.04 jammy)"; root focal "$(ubuntu 20.04 focal)"
