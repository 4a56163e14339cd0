set -e; mkdir -p "$1/root/etc"
printf 'ID="rhel"\nVERSION_ID="8.10"\nPLATFORM_ID="platform:el8"\n' >"$1/root/etc/os-release"
