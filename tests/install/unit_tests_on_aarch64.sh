#!/usr/bin/env bash
# Builds cudald and its unit tests for AArch64 and runs them under QEMU. As root in a root or container of Debian 12 for
# x86-64, which is thrown away afterwards:
#
#     tests/install/unit_tests_on_aarch64.sh SOURCE [PROGRAM...]
#
# PROGRAM is the name of a unit test, as test_loader; all are run unless some are named. Ten minutes of compiling, and
# as many of running. Three tests fail under QEMU and nowhere else: they are about signals and limits of memory, which
# QEMU keeps for itself (os: the last signal; scan: memory, SIGSYS). test_probe loads files of the machine for real: it
# runs in ARM64_ROOT, which debootstrap --arch arm64 --variant=minbase has made inside this root, and the kernel must
# hand programs for arm64 to QEMU (binfmt_misc). Without ARM64_ROOT it is left out, and that is said.
set -euo pipefail

source=$(realpath "$1")
shift
export DEBIAN_FRONTEND=noninteractive
dpkg --add-architecture arm64
apt-get update --quiet=2
apt-get install --yes --quiet=2 --no-install-recommends ca-certificates doctest-dev g++ g++-aarch64-linux-gnu git \
  libarchive-dev:arm64 libboost-dev:arm64 libboost-program-options-dev:arm64 libc6:arm64 libcurl4-openssl-dev:arm64 \
  libfmt-dev:arm64 libisal-dev:arm64 libstdc++6:arm64 libtomlplusplus-dev:arm64 meson nlohmann-json3-dev pkg-config \
  python3 qemu-user > /dev/null

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
meson setup --cross-file "$source/packaging/aarch64.txt" -Dtests=enabled -Doptimization=0 . "$source" > setup.log \
  || { tail -20 setup.log >&2; exit 1; }
mapfile -t programs < <(ninja -t targets all | sed -n 's|^tests/\(test_[a-z]*\): .*|\1|p')
if [[ $# -gt 0 ]]; then programs=("$@"); fi
tools=$source/tools/quietly
"$tools" ninja cudald "${programs[@]/#/tests/}"

run() {
  # Not with -L and the libraries of the cross compiler: under them a program that starts a thread never ends.
  if [[ $1 != test_probe ]]; then
    qemu-aarch64 "tests/$1"
  elif [[ -z ${ARM64_ROOT-} ]]; then
    echo "test cases: none run, as no ARM64_ROOT is named"
  else
    cp tests/test_probe "$ARM64_ROOT/tmp/"
    chroot "$ARM64_ROOT" /tmp/test_probe
  fi
}

status=0
for program in "${programs[@]}"; do
  if ! run "$program" > "$program.log" 2>&1; then
    status=1
    grep -aE 'TEST CASE|ERROR' "$program.log" || true
  fi
  echo "$program $(grep -a 'test cases' "$program.log" || true)"
done
exit "$status"
