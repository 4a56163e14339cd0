. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 24.04 noble)"; P=root/srv/web/node_modules
mkdir -p $P/lightningcss/node $P/lightningcss-darwin-arm64
echo '{"name": "lightningcss", "version": "1.29.2", "optionalDependencies": {"lightningcss-darwin-arm64": "1.29.2",
  "lightningcss-linux-x64-gnu": "1.29.2"}}' >$P/lightningcss/package.json
touch root/srv/web/package-lock.json; echo '{"name": "web"}' >root/srv/web/package.json
