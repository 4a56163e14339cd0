. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 24.04 noble)"; P=root/app/node_modules; mkdir -p $P/rolldown/dist $P/@rolldown/binding-darwin-arm64
echo '{"name": "rolldown", "version": "1.0.0-rc.15", "optionalDependencies": {"@rolldown/binding-linux-x64-gnu":
  "1.0.0-rc.15", "@rolldown/binding-darwin-arm64": "1.0.0-rc.15"}}' >$P/rolldown/package.json
echo '{"name": "app"}' >root/app/package.json; touch root/app/pnpm-lock.yaml
