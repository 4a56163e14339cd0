#!/usr/bin/env bash
# Builds the Debian package for arm64. As root in a root or container of Debian 12 for x86-64:
#
#     packaging/package-for-arm64.sh SOURCE OUT
#
# The cross compiler builds it, and QEMU runs the program where it writes its own man page. Not in the root that
# tools/release runs in: Debian's ISA-L can be installed for one machine at a time. KERNEL is the kernel.c that
# tools/release has made; without it `probe` has no kernel for the GPU.
set -euo pipefail

source=$(realpath "$1") out=$(realpath -m "$2")
work=/var/tmp/cudald-package
mkdir "$work"
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 TZ=UTC
umask 022

dpkg --add-architecture arm64
apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends crossbuild-essential-arm64 git > /dev/null
apt-get build-dep --yes --quiet=2 --no-install-recommends --host-architecture arm64 --arch-only \
  --build-profiles cross,nocheck "$source" > /dev/null

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Timestamp)}
export SOURCE_DATE_EPOCH
"$source/packaging/source-copy.sh" "$source" "$work/source"
if [[ -n ${KERNEL-} ]]; then
  cp "$KERNEL" "$work/kernel.c"
  export KERNEL=$work/kernel.c
fi
cd "$work/source"
dpkg-buildpackage --no-sign --build=any --host-arch arm64
mkdir -p "$out"
cp "$work"/*.deb "$out"
if [[ -n ${KERNEL-} ]]; then python3 "$source/tests/install/kernel.py" "$KERNEL" "$out"/cudald_*_arm64.deb; fi
ls -l "$out"
