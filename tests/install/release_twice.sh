#!/usr/bin/env bash
# Makes a release twice, from two clones in folders of different names, with different habits of the machine (umask,
# time zone), and compares the checksums. An hour of compiling on two cores, so no test that is run by itself:
#
#     tests/install/release_twice.sh WORK [SOURCE]
#
# WORK is a new folder; the artefacts stay there. SOURCE is the repository, unless it is this one.
set -euo pipefail

mkdir "$1"
work=$(realpath "$1") source=$(realpath "${2:-$(dirname "${BASH_SOURCE[0]}")/../..}")

commit=$(git -C "$source" rev-parse HEAD)

release() {
  git clone --quiet "$source" "$1"
  git -C "$1" checkout --quiet "$commit"
  # What is ignored by git, but used where it is there.
  if [[ -e $source/packaging/windows/made/complete ]]; then
    cp -a "$source/packaging/windows/made" "$1/packaging/windows/"
  fi
  "$1/tools/release" "$2" > "$2.log" 2>&1 || { tail -20 "$2.log" >&2; return 1; }
}

(umask 077 && TZ=Asia/Tokyo release "$work/one" "$work/first")
release "$work/another folder/two" "$work/second"
diff "$work/first/SHA256SUMS" "$work/second/SHA256SUMS"
echo "$(wc -l < "$work/first/SHA256SUMS") artefacts, the same bytes"
